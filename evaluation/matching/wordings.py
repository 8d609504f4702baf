"""Wordings of directories, authors and cut marks, in two halves: one to tune with, one that is only measured.

None of them is used by the development sets. ``{t}`` is the title, ``{s}`` the show, ``{a}`` its initials, ``{n}`` a
number.
"""

from __future__ import annotations

from typing import NamedTuple


class Wordings(NamedTuple):
    """What one half of the made directories says around titles and texts."""

    frames: tuple[str, ...]
    numbered: tuple[str, ...]
    companions: tuple[str, ...]
    replays: tuple[str, ...]
    parts: tuple[str, ...]
    weekly: tuple[str, ...]
    posts: tuple[str, ...]
    cuts: tuple[str, ...]
    footers: tuple[str, ...]


TUNING = Wordings(
    frames=("{t} (Podcast)", "Hören: {t}", "{s} » {t}", "{t} – {s}", "▶ {t}", "Écouter {t}", "{t} | Show Notes"),
    numbered=(
        *("Episode {n}: {t}", "#{n} {t}", "{t} | {a}.se {n}", "{t} – Folge {n}", "{n:03d} {t}", "{a}{n:03d} – {t}"),
        *("Nr. {n}: {t}", "{t} ({n})", "Odcinek {n} - {t}", "Avsnitt {n}. {t}"),
    ),
    companions=("Afterthoughts on {t}", "Extra: {t}", "{t}: the follow-up", "Nachgedanken zu {t}", "Deep dive: {t}"),
    replays=("Rerun: {t}", "{t} (Wiederholung)", "From the archive: {t}", "{t} [rebroadcast]"),
    parts=("{t}, Part {n}", "{t} (Teil {n})", "{t} - partie {n}", "{t} ({n}/2)"),
    weekly=("Listener questions", "Kurz notiert", "Le courrier", "Week in review"),
    posts=("New episode: {t}", "{t} is out", "Neu im Podcast: {t}", "{t}", "We talk about {t}"),
    cuts=("…", " [...]", "... Read more", " (weiterlesen)", "… Lire la suite"),
    footers=("", "Subscribe wherever you listen.", "Unterstützt uns auf Steady.", "Hosted by Example Audio."),
)
HELD_OUT = Wordings(
    frames=("{t} [Audio]", "Ascolta: {t}", "{s} / {t}", "{t} « {s}", "🎧 {t}", "Luister naar {t}", "{t} | Transcript"),
    numbered=(
        *("Ep.{n} — {t}", "No. {n} | {t}", "{t} // {a}-{n}", "{t}, afl. {n}", "{n} · {t}", "{a}#{n}: {t}"),
        *("第{n}回 {t}", "{t} [{n}]", "Puntata {n}: {t}", "Выпуск {n}. {t}"),
    ),
    companions=("Debrief — {t}", "More on {t}", "{t}: behind the mic", "Retour sur {t}", "Bonus chat: {t}"),
    replays=("Encore: {t}", "{t} (Rediffusion)", "Best of: {t}", "{t} (repetición)"),
    parts=("{t} — Pt. {n}", "{t} (parte {n})", "{t}: deel {n}", "{t} [{n} of 2]"),
    weekly=("Your letters", "Presseschau", "La revue", "Roundup"),
    posts=("Just published: {t}", "Listen now: {t}", "Nuovo episodio: {t}", "{t}", "On {t}"),
    cuts=("...", " […]", "… Show more", " (continua)", "…続きを読む"),
    footers=("", "Find us on all platforms.", "Produit par Exemple Sonore.", "Support the show with a monthly gift."),
)
HALVES = {"tuning": TUNING, "held out": HELD_OUT}
