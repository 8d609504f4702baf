"""Nobody's address leaves: a source names its owner in every place that RSS has for it, and no file tells."""

from datetime import UTC, datetime
from pathlib import Path

from aggregator import refresh
from aggregator.config.load import load
from tests.support.config import make_feed, write_config

OWNER = "keeper@rope.studio"
FEED = f"""<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
 xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><title>Sea Room</title>
<link>https://rope.studio/</link><description>About the sea.</description>
<managingEditor>{OWNER} (Ann Tide)</managingEditor><webMaster>{OWNER}</webMaster>
<itunes:author>{OWNER} (Ann)</itunes:author><podcast:locked owner="{OWNER}">yes</podcast:locked>
<podcast:txt purpose="verify">{OWNER}</podcast:txt>
<itunes:owner><itunes:name>Ann</itunes:name><itunes:email>{OWNER}</itunes:email></itunes:owner>
<item><guid>a1</guid><title>Ropes</title><description>About ropes and knots.</description>
<author>{OWNER} (Ann Tide)</author><pubDate>Sat, 01 Jun 2024 08:00:00 GMT</pubDate>
<enclosure url="https://cdn.rope.studio/1.mp3" length="100000" type="audio/mpeg"/></item>
<item><guid>a2</guid><title>Tides</title><description>About tides.</description><author>{OWNER}</author>
<pubDate>Sun, 02 Jun 2024 08:00:00 GMT</pubDate>
<enclosure url="https://cdn.rope.studio/2.mp3" length="100000" type="audio/mpeg"/></item></channel></rss>
"""


def test_an_owners_address_is_in_no_file(tmp_path: Path) -> None:
    (tmp_path / "feed.xml").write_text(FEED, encoding="utf-8")
    config = write_config(tmp_path, {"sea": make_feed("Sea Room", {"host": "feed.xml"})})
    refresh.refresh(load(config), at=datetime(2024, 7, 1, tzinfo=UTC))
    files = [path for path in (tmp_path / "output").rglob("*") if path.suffix != ".gz" and path.is_file()]
    assert len(files) > 8
    assert [path.name for path in files if b"keeper@" in path.read_bytes()] == []
    said = (tmp_path / "output" / "sea" / "podcast.xml").read_text("utf-8")
    assert "<itunes:author>Ann Tide</itunes:author>" in said
    assert said.count("<itunes:author>") == 2
