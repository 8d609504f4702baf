"""What matching says about hidden sources is left out."""

from aggregator.merger.hidden_sources import hide_in_matching
from aggregator.model.cluster import Cluster, Matching, Pair
from aggregator.model.entry import Entry


def test_nothing_is_said_about_a_hidden_source() -> None:
    free, premium = Entry("free", "1", "Tide tables"), Entry("premium", "1", "Tide tables")
    undecided = {"free/1": ("page", "premium"), "premium/1": ("free",), "page/1": ("premium",)}
    found = Matching((Cluster((free,)), Cluster((premium,))), (Pair("free/1", "premium/1", 0.0),), undecided=undecided)
    hidden = hide_in_matching(found, {"premium"})
    assert hidden == Matching((Cluster((free,)),), undecided={"free/1": ("page",)})
    assert hide_in_matching(found, ()) == found
