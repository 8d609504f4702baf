"""What a show puts round the words of its titles is told beside the title, and never taken off it."""

WORDS = ("Storms", "Tides", "Bends", "Mirrors", "Ladders", "Knots", "Bells")


def test_the_numbers_of_a_show_are_told_beside_its_titles(project, origin, episode, rss) -> None:
    titles = [f"{turn}. {word} (Part 2)" if turn == 7 else f"{turn}. {word}" for turn, word in enumerate(WORDS, 1)]
    said = [episode(turn, title=title) for turn, title in enumerate([*titles, "Rope and sail"])]
    origin.serve("/feed.xml", rss(*said))
    project.refresh()
    told = {item["title"]: item["_aggregator"] for item in project.items()}
    assert set(told) == {*titles, "Rope and sail"}
    assert (told["3. Bends"]["prefix"], told["7. Bells (Part 2)"]["part"]) == ("3.", 2)
    assert not {"prefix", "suffix", "part", "tag"} & set(told["Rope and sail"])
    reported = {item["title"]: item for item in project.report()["items"]}
    assert reported["3. Bends"]["prefix"] == "3."
