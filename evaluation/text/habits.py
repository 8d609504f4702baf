"""Measure texts of which every source changes every copy in its own way: no copy is right, and the habits combine.

    python -m evaluation.text.habits [--seed N ...] [--shows N] [--no-learn] [--by habit|kind|lang] [--write FILE]
    python -m evaluation.text.habits --medium --by kind --seed 1 2 3 4

The texts are made of the project's own sentences in nineteen languages (``sentences.json``). Each show has three to
five sources, each with two to four habits that it keeps: it strips accents, cuts, decodes wrongly, appends a tail (a
tail may be shared by two sources), misreads letters, straightens quotes, loses marks, drops a word. One source at
least cuts nothing. Printed are the shares of texts that are right as the longest copy, as the best copy if the truth
chose it, and as ours, and how many words are lost that most copies have. Each seed is read alone; the rows are of all.
--by kind has rows for the texts with "ß" and with "ё", too. --write keeps the texts in the form that ``run.py`` reads.

With --medium no source has habits: a show has two to four sources, and each copy is hit by one to three kinds of
damage drawn for it alone, from the habits and the kinds of ``tuning_kinds.py``, as copies of the medium development
file are.
"""

from __future__ import annotations

import argparse
import json
import sys
import unicodedata
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import chain
from pathlib import Path
from random import Random

from rapidfuzz.distance import Levenshtein

from aggregator.merger.repair.fixers import repair_text
from aggregator.text.tokens import tokenise
from evaluation.text import run
from evaluation.text.kinds import PAGE, TRANSPORT, WRITING, is_writable, join_words, split_words
from evaluation.text.tuning_kinds import TUNING

SENTENCES = Path(__file__).parent / "sentences.json"
ITEMS = 8  # of a show, half of them titles
EPISODE = {
    "de": "Folge",
    "fr": "Épisode",
    "es": "Episodio",
    "pt": "Episódio",
    "it": "Episodio",
    "tr": "Bölüm",
    "pl": "Odcinek",
    "cs": "Díl",
    "sv": "Avsnitt",
    "ru": "Выпуск",
    "uk": "Випуск",
    "el": "Επεισόδιο",
    "he": "פרק",
    "ar": "الحلقة",
    "ja": "第",
    "zh": "第",
    "ko": "에피소드",
    "vi": "Tập",
}
EMOJI = ("🎧", "🌊", "❄️", "👩‍🚀", "🎙️", "🍞")
STATIONS = ("Radio Quay", "Nordwind FM", "Onda Verde", "Канал Мост", "港ラジオ", "Harbour 7")
TAILS = (
    "Follow {a} on Fediverse: @{a}@quay.example",
    "Hosted by {a}. See quay.example/privacy for information.",
    "{a} – täglich neue Sendungen auf nordwind.example",
    "Support this show http://quay.example/{a}",
    "Écoutez {a} sur onda.example",
)
MISREAD = (("rn", "m"), ("m", "rn"), ("l", "1"), ("cl", "d"), ("e", "c"), ("h", "b"), ("ü", "ii"), ("n", "ri"))
PLAIN = str.maketrans({**dict.fromkeys("‘’‚", "'"), **dict.fromkeys("“”„", '"'), **dict.fromkeys("–—", "-")})
NATIONAL = ("cp1251", "cp1253", "cp1255", "cp1256", "euc_jp", "gbk", "cp949")
EAST_ASIAN = frozenset(("euc_jp", "gbk", "cp949"))
Habit = Callable[[str, Random, "Random"], str]


def unaccented(text: str, _: Random, __: Random) -> str:
    """Letters without their marks."""
    apart = unicodedata.normalize("NFD", text.replace("ß", "ss").replace("ł", "l").replace("Ł", "L"))
    return unicodedata.normalize("NFC", "".join(one for one in apart if not "\u0300" <= one <= "\u036f"))


def cut(text: str, _: Random, own: Random) -> str:
    """Cut behind so many characters as the source always does, with its mark."""
    most, mark = own.choice((24, 32, 40)), own.choice(("...", "…", " …", ""))
    most = most if len(text) < 90 else own.choice((90, 120, 160))
    return text if len(text) <= most else text[:most].rstrip() + mark


def misdecoded(text: str, _: Random, own: Random) -> str:
    """UTF-8 read in the code page of the source; bytes that it lacks are lost."""
    read = text.encode().decode(own.choice(("cp1252", "cp1252", "latin-1", "cp1251")), "replace")
    return read.replace("\ufffd", own.choice(("", "\ufffd")))


def national(text: str, _: Random, __: Random) -> str:
    """Return the text as the encoding of its language read as a Western one; a text with other letters is spared."""
    fitting = [name for name in NATIONAL if is_writable(text, name)]
    fitting = [name for name in fitting if (name in EAST_ASIAN) == any(one > "\u3000" for one in text)]
    return text.encode(fitting[0]).decode("latin-1") if fitting else text


def misread(text: str, chance: Random, __: Random) -> str:
    """Letters read as others in one word of twelve."""
    words = split_words(text)
    for _ in range(max(1, len(words) // 12)):
        at = chance.randrange(len(words))
        fitting = [pair for pair in MISREAD if pair[0] in words[at]]
        if fitting:
            words[at] = words[at].replace(*chance.choice(fitting), 1)
    return join_words(words, text)


def straightened(text: str, _: Random, __: Random) -> str:
    """Quotes and dashes as typewriters have them."""
    return text.translate(PLAIN)


def unmarked(text: str, chance: Random, _: Random) -> str:
    """Half of the marks lost."""
    return "".join(one for one in text if not (one in ",;:!?–“”„" and chance.random() < 0.5))


def dropped(text: str, chance: Random, _: Random) -> str:
    """One word lost."""
    words = split_words(text)
    if len(words) > 3:
        del words[chance.randrange(len(words))]
    return join_words(words, text)


def respelt(text: str, _: Random, __: Random) -> str:
    """Return the text as old keyboards write: е for ё, ss for ß."""
    return text.replace("ё", "е").replace("Ё", "Е").replace("ß", "ss")


HABITS: Mapping[str, Habit] = {
    "unaccented": unaccented,
    "respelt": respelt,
    "straightened": straightened,
    "unmarked": unmarked,
    "dropped": dropped,
    "misread": misread,
    "tail": lambda text, _, __: text,
    "cut": cut,
    "misdecoded": misdecoded,
    "national": national,
}
"""In the order in which they happen to a text."""
KINDS = {f"{kind.name} (kind)": kind for kind in TUNING}
STAGES = {
    **dict.fromkeys(HABITS, WRITING),
    **dict.fromkeys(("tail", "cut"), PAGE),
    **dict.fromkeys(("misdecoded", "national"), TRANSPORT),
    **{name: kind.stage for name, kind in KINDS.items()},
}


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, nargs="+", default=[1])
    parser.add_argument("--shows", type=int, default=3, help="of each language")
    parser.add_argument("--medium", action="store_true", help="damage drawn for each copy, in place of habits")
    parser.add_argument("--no-learn", action="store_true")
    parser.add_argument("--by", choices=("habit", "kind", "lang"))
    parser.add_argument("--write", type=Path)
    parser.add_argument("--misses", type=Path)
    asked = parser.parse_args()
    asked.leave_shows_out = False
    sets = [list(make_items(seed, asked.shows, medium=asked.medium)) for seed in asked.seed]
    items = list(chain.from_iterable(sets))
    if asked.write:
        asked.write.write_text("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items), encoding="utf-8")
        return 0
    readings = list(chain.from_iterable(run.read_items(one, asked)[0] for one in sets))
    rows = defaultdict(list)
    for item, reading in zip(items, readings, strict=True):
        row = score(item, reading)
        for name in ("all", item["field"], *groups(item, asked.by)):
            rows[name].append(row)
    print(f"{'':14} {'n':>5} {'longest':>8} {'best copy':>9} {'ours':>6} {'sim':>7} {'lost':>5}")
    for name, row in rows.items():
        columns = [sum(column) for column in zip(*row, strict=True)]
        longest, best, ours, sim = (column / len(row) for column in columns[:4])
        print(f"{name:14} {len(row):5} {longest:8.3f} {best:9.3f} {ours:6.3f} {sim:7.4f} {columns[4]:5}")
    if asked.misses:
        wrong = [item | {"reading": one} for item, one in zip(items, readings, strict=True) if not score(item, one)[2]]
        asked.misses.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in wrong), encoding="utf-8")
    return 0


def groups(item: dict, by: str | None) -> list[str]:
    """Return the names of the rows, beside its field's, that an item counts in."""
    if by == "kind":
        letters = [f"with {letter}" for letter in "ßё" if letter in item["truth"].lower()]
        return [*letters, *([item["kind"]] if item["kind"] != item["field"] else ())]
    return [] if by is None else item["habits"] if by == "habit" else [item[by]]


def score(item: dict, reading: str) -> tuple[int, int, int, float, int]:
    """Return whether the longest copy, any copy and the reading are right, how alike it is, and how many words it lost.

    A word is lost if more copies have it, as often, once they are repaired, than have not.
    """
    truth, got = " ".join(item["truth"].split()), " ".join(reading.split())
    copies = [" ".join(copy["text"].split()) for copy in item["witnesses"]]
    counts = [Counter(token.key for token in tokenise(repair_text(copy).text) if token.lexical) for copy in copies]
    ours = Counter(token.key for token in tokenise(got) if token.lexical)
    wanted = Counter(token.key for token in tokenise(truth) if token.lexical)
    lost = sum(
        2 * sum(count[key] >= number for count in counts) > len(counts)
        for key, most in wanted.items()
        for number in range(ours[key] + 1, most + 1)
    )
    return (
        max(copies, key=len) == truth,
        truth in copies,
        got == truth,
        Levenshtein.normalized_similarity(got, truth),
        lost,
    )


def make_items(seed: int, shows: int, *, medium: bool = False) -> Iterator[dict]:
    """Yield the items of so many shows in each language."""
    for language, known in json.loads(SENTENCES.read_text(encoding="utf-8")).items():
        for number in range(shows):
            chance = Random(zlib.crc32(f"{seed} {language} {number}".encode()))
            show = f"{chance.choice(known['titles'])} {number}"
            sources = draw_sources(chance, f"{language}{number}", medium=medium)
            for at in range(ITEMS):
                kind, truth = write_text(at, known, language, show.rpartition(" ")[0], chance)
                met = draw_damages(sources, chance) if medium else sources
                witnesses = [
                    {"source": name, "text": damage(truth, habits, name, chance, is_title=at % 2 == 0)}
                    for name, habits in met.items()
                ]
                yield {
                    "id": f"{language}-{number}-{at}",
                    "field": "description" if at % 2 else "title",
                    "kind": kind,
                    "lang": language,
                    "show": show,
                    "habits": sorted({habit.partition(":")[0] for habits in met.values() for habit in habits}),
                    "witnesses": [one for one in witnesses if one["text"].strip()],
                    "truth": truth,
                }


def write_text(at: int, known: dict, language: str, show: str, chance: Random) -> tuple[str, str]:
    """Return the kind of a text, and a new title or description of it."""
    if at % 2:
        blank = "" if language in {"ja", "zh"} else " "
        return "description", blank.join(chance.sample(known["sentences"], chance.randint(2, 4)))
    title = chance.choice([one for one in known["titles"] if one != show])
    number = chance.randint(2, 400)
    if at == 0:
        return "title", f"{title}: {chance.choice(known['titles'])}" if chance.random() < 0.5 else title
    if at == 2:
        counter = f"第{number}回" if language in {"ja", "zh"} else f"{EPISODE.get(language, 'Episode')} {number}"
        return "episode", f"{counter}: {title}"
    if at == 4:
        return "emoji", f"{chance.choice(EMOJI)} {title}" if number % 2 else f"{title} {chance.choice(EMOJI)}"
    return "show name", chance.choice((f"{title} | {show}", f"{show}: {title}", f"{title} – {show}"))


def draw_damages(sources: Collection[str], chance: Random) -> dict[str, list[str]]:
    """Return one to three kinds of damage for the copy of each source: one copy is not cut, none encoded twice."""
    whole = chance.choice(list(sources))
    drawn = {}
    for name in sources:
        some: list[str] = []
        most = chance.randint(1, 3)
        for kind in chance.sample(list(STAGES), len(STAGES)):
            encoded = STAGES[kind] == TRANSPORT and any(STAGES[one] == TRANSPORT for one in some)
            cuts = kind == "cut" or (kind in KINDS and KINDS[kind].cuts)
            if len(some) < most and not encoded and not (cuts and name == whole):
                some.append(kind)
        some.sort(key=lambda kind: STAGES[kind])
        drawn[name] = [f"tail:{name}" if kind == "tail" else kind for kind in some]
    return drawn


def draw_sources(chance: Random, show: str, *, medium: bool = False) -> dict[str, list[str]]:
    """Return the habits of each source of a show: two to four, and "cut" not for all; tails are named by their words.

    Two sources may have one tail: the second took it from the first.
    """
    least, most = (2, 4) if medium else (3, 5)
    drawn = chance.sample(("host", "store", "guide", "paper", "mirror"), chance.randint(least, most))
    names = [f"{name}-{show}" for name in drawn]
    sources: dict[str, list[str]] = {}
    whole = chance.choice(names)
    tails: list[str] = []
    for name in names:
        some = chance.sample(list(HABITS), chance.randint(2, 4))
        kept = [habit for habit in HABITS if habit in some and not (habit == "cut" and name == whole)]
        kept = kept or ["straightened"]
        if "tail" in kept:
            tails.append(tails[0] if tails and chance.random() < 0.6 else f"tail:{chance.randrange(10**6)}")
            kept[kept.index("tail")] = tails[-1]
        sources[name] = kept
    return sources


def damage(truth: str, habits: list[str], source: str, chance: Random, *, is_title: bool) -> str:
    """Return the copy of a source."""
    text = truth
    for habit in habits:
        if habit.startswith("tail:"):
            own = Random(habit)
            station = own.choice(STATIONS)
            text += f" | {station}" if is_title else f" {own.choice(TAILS).format(a=station)}"
        elif habit in HABITS:
            text = HABITS[habit](text, chance, Random(f"{source} {habit}"))
        else:
            text = KINDS[habit].damage(text, chance)
    return text


if __name__ == "__main__":
    sys.exit(main())
