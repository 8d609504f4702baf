"""What one source may bring: so many bytes, so many items; beyond it the source is silent and says why."""

from __future__ import annotations

from datetime import timedelta

from harness import NOON, Town, guids, item, rss, tidy, whole


def config(town: Town) -> None:
    town.config(
        f"host: {{kind: feed, url: '{town.url('/host')}'}}",
        f"flood: {{kind: feed, url: '{town.url('/flood')}', trust: 0.5}}",
    )
    town.serve("/host", rss(*(item(number) for number in range(1, 6))))


def test_a_source_that_floods_is_silent_and_keeps_what_it_said_before(town: Town) -> None:
    config(town)
    town.serve("/flood", rss(item(7, source="flood")))
    assert town.refresh(NOON).returncode == 0
    held = guids(town)
    assert len(held) == 6
    floods = {
        "lists more than 50000 items": "<rss version='2.0'><channel><title>t</title>"
        + "".join(f"<item><guid>{number}</guid><title>t{number}</title></item>" for number in range(50_100))
        + "</channel></rss>",
        "sent more bytes than are taken": "<rss version='2.0'><channel><title>t</title>" + "<!-- x -->" * 3_400_000,
    }
    for turn, (words, body) in enumerate(floods.items(), 1):
        town.serve("/flood", body)
        done = town.refresh(NOON + timedelta(days=turn))
        assert done.returncode == 0
        lines = [line for line in done.stderr.splitlines() if "flood" in line]
        assert len(lines) == 1, done.stderr
        assert words in lines[0] or "reading it takes" in lines[0], lines
        assert guids(town) == held
        whole(town)
        tidy(town)


def test_a_source_that_future_dates_and_takes_names_changes_nothing_of_the_host(town: Town) -> None:
    config(town)
    town.serve("/flood", rss())
    assert town.refresh(NOON).returncode == 0
    before = {each["id"]: (each["title"], each["date_published"], each["attachments"]) for each in town.items()}
    stolen = [item(number, day=5_000, name="BUY NOW").replace("/media.", "/evil.") for number in range(1, 6)]
    own = [item(900 + number, source="flood", day=9_000 + number) for number in range(3)]
    town.serve("/flood", rss(*stolen, *own))
    assert town.refresh(NOON + timedelta(days=1)).returncode == 0
    after = {each["id"]: (each["title"], each["date_published"], each["attachments"]) for each in town.items()}
    assert {guid: after[guid] for guid in before} == before
    last = f"{NOON + timedelta(days=2):%Y-%m-%d}"
    assert all(str(date) < last for _, date, _ in after.values()), "nothing is dated ahead of its time"
