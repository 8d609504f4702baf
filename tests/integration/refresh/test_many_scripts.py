"""A source whose texts are wrongly decoded in many languages does not keep the episodes of others out of the feed."""

from __future__ import annotations

SAID = {
    "koi8-r": "вечерние новости и погода на завтра", "cp1253": "καλημέρα σας και καλή όρεξη",
    "cp1255": "שלום לכולם וברוכים הבאים", "cp1256": "مرحبا بكم في البرنامج الجديد",
    "cp932": "今日の天気は晴れのち曇りです", "gb18030": "今天我们来聊聊天气和旅行",
    "cp949": "안녕하세요 여러분 반갑습니다",
    "cp1250": "dziś dużo słońca i książki na półce", "cp1254": "iş arayan genç şarkıcılar ve öğrenciler",
    "cp1257": "šiandien kalbame apie knygas ir žmones",
}  # fmt: skip
OF_UTF8 = (
    *SAID.values(), "їжак і єнот гуляли", "سلام به همه شما گرامی", "chào mừng các bạn đến với chương trình",
    "hyvää päivää kaikille yötä", "grüße aus düsseldorf für bäcker", "não há lições à tarde", "très près à côté œuvre",
    "þetta er ævi á íslandi", "नमस्ते आप सबका स्वागत", "সবাইকে স্বাগত জানাই", "அனைவருக்கும் வணக்கம்",
)  # fmt: skip
READ_AS = ("latin_1", "cp1252", "cp1251", "mac_roman", "koi8_r")


def test_the_host_is_published(project, origin, rss, episode) -> None:
    damaged = [text.encode(page).decode("latin_1") for page, text in SAID.items()]
    damaged += [text.encode().decode(name, "ignore") for text in OF_UTF8 for name in READ_AS]
    printable = ["".join(letter for letter in text if letter.isprintable()) for text in damaged]
    origin.serve("/feed.xml", rss(*(episode(turn) for turn in range(5))))
    told = [episode(turn, guid=f"m{turn}", title=text, audio=None) for turn, text in enumerate(printable, 10)]
    origin.serve("/mirror.xml", rss(*told))
    project.sources["mirror"] = origin.source("/mirror.xml")
    outcome = project.refresh()
    assert not outcome.failures
    assert {f"host-{turn}" for turn in range(5)} <= {item["id"] for item in project.items()}
