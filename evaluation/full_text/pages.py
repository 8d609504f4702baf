"""Pages of made-up posts in the shapes of ten blog engines, with what is the post in each."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

BASE: Final = "https://blog.example/2024/05/post/"

_SENTENCES: Final[Mapping[str, Mapping[str, Sequence[str]]]] = json.loads(
    (Path(__file__).parent.parent / "text" / "sentences.json").read_text("utf-8")
)
_LANGUAGES: Final = ("en", "de", "ja", "fr", "ar", "es", "zh", "ru", "he", "pt")
_CODE: Final = 'def main():\n    for line in open("a.txt"):\n        print(line.strip())'


class Page(NamedTuple):
    """A page: the engine in whose shape it is, what the post is like, its language, and the markup of the post."""

    engine: str
    kind: str
    language: str
    body: str
    article: str


class _Post(NamedTuple):
    title: str
    parts: tuple[tuple[str, str], ...]
    """The name of an element, and its content as HTML, in the order of the post."""


class _Talk:
    """Sentences of one language in an order by chance, none twice on a page until all were said."""

    def __init__(self, language: str, seed: int) -> None:
        self.language = language
        self.chance = random.Random(seed)
        known = _SENTENCES[language]
        self._all, self.titles = list(known["sentences"]), list(known["titles"])
        self._left: list[str] = []

    def say(self, sentences: int) -> str:
        """Return so many sentences as HTML."""
        said = []
        for _ in range(sentences):
            if not self._left:
                self._left = self.chance.sample(self._all, len(self._all))
            said.append(escape(self._left.pop(), quote=False))
        return ("" if self.language in ("ja", "zh") else " ").join(said)

    def name(self) -> str:
        """Return a title."""
        return escape(self.chance.choice(self.titles), quote=False)


def _write_essay(talk: _Talk) -> _Post:
    return _Post(
        talk.name(),
        (
            *(("p", talk.say(3)), ("figure", talk.say(1)), ("p", talk.say(4)), ("h2", talk.name())),
            *(("p", f'{talk.say(2)} <a href="https://other.example/source">{talk.name()}</a> {talk.say(1)}'),),
            *(("blockquote", f"<p>{talk.say(2)}</p>"), ("p", talk.say(3)), ("figure", talk.say(1)), ("p", talk.say(2))),
        ),
    )


def _write_manual(talk: _Talk) -> _Post:
    points = "".join(f"<li>{talk.say(1)}</li>" for _ in range(4))
    rows = "".join(f"<tr><td>{talk.name()}</td><td>{number * 7}</td></tr>" for number in range(1, 5))
    return _Post(
        talk.name(),
        (
            *(("p", talk.say(2)), ("h2", talk.name()), ("pre", escape(_CODE, quote=False)), ("p", talk.say(3))),
            *(("ul", points), ("h2", talk.name()), ("p", talk.say(2)), ("table", rows), ("p", talk.say(2))),
        ),
    )


def _write_note(talk: _Talk) -> _Post:
    return _Post(talk.name(), (("p", talk.say(2)), ("p", talk.say(1)), ("p", talk.say(2))))


_KINDS: Final = {"essay": _write_essay, "manual": _write_manual, "note": _write_note}


class _Surroundings(NamedTuple):
    """What stands around a post, as HTML."""

    menu: str
    share: str
    related: str
    comments: str
    sidebar: str
    cookies: str
    newsletter: str
    footer: str


def _make_surroundings(talk: _Talk) -> _Surroundings:
    links = "".join(f'<li class="menu-item"><a href="/c/{number}">{talk.name()}</a></li>' for number in range(8))
    share = "".join(f'<a class="share-{name}" href="https://{name}.example/share">{name}</a> ' for name in _SHARED)
    cards = "".join(
        f'<div class="related-post card"><a href="/p/{number}"><img src="/t{number}.jpg" alt=""><h4>{talk.name()}</h4>'
        f'</a><p class="excerpt">{talk.say(1)}</p></div>'
        for number in range(3)
    )
    comments = "".join(
        f'<li class="comment"><div class="comment-author vcard"><b class="fn">{talk.name()}</b></div>'
        f'<div class="comment-content"><p>{talk.say(3)}</p></div><a class="reply" href="#r{number}">↩</a></li>'
        for number in range(5)
    )
    recent = "".join(f'<li><a href="/r/{number}">{talk.name()}</a></li>' for number in range(6))
    return _Surroundings(
        menu=f'<nav class="main-navigation"><ul class="menu">{links}</ul></nav>',
        share=f'<div class="sharedaddy share-buttons">{share}</div>',
        related=f'<div class="related-posts"><h3>{talk.name()}</h3>{cards}</div>',
        comments=f'<section id="comments" class="comments-area"><h3>5</h3><ol class="comment-list">{comments}</ol>'
        f"<form><textarea></textarea><button>{talk.name()}</button></form></section>",
        sidebar=f'<aside id="secondary" class="sidebar widget-area"><section class="widget"><h3>{talk.name()}</h3>'
        f'<ul>{recent}</ul></section><section class="widget"><p>{talk.say(2)}</p></section></aside>',
        cookies=f'<div id="cookie-notice" class="cookie-banner" role="dialog"><p>{talk.say(3)}</p>'
        f"<button>{talk.name()}</button><button>{talk.name()}</button></div>",
        newsletter=f'<div class="subscribe-widget"><p>{talk.say(1)}</p><form><input type="email"></form></div>',
        footer=f'<footer class="site-footer"><p>{talk.say(1)}</p><ul>{links}</ul></footer>',
    )


_SHARED: Final = ("facebook", "mastodon", "pinterest", "whatsapp", "mail")


_FORMS: Final[Mapping[str, str]] = {
    "p": "<p>{0}</p>",
    "h2": "<h2>{0}</h2>",
    "pre": "<pre><code>{0}</code></pre>",
    "ul": "<ul>{0}</ul>",
    "blockquote": "<blockquote>{0}</blockquote>",
    "table": "<table><tbody>{0}</tbody></table>",
    "figure": '<figure><img src="https://blog.example/a.jpg" alt=""><figcaption>{0}</figcaption></figure>',
}
"""Each element as the post is written, and as most engines show it."""

_LAZY: Final = (
    '<figure class="wp-block-image size-large"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" '
    'data-src="https://blog.example/a.jpg" class="lazyload" alt=""><noscript><img src="https://blog.example/a.jpg" '
    'alt=""></noscript><figcaption class="wp-element-caption">{0}</figcaption></figure>'
)
_PICTURE: Final = (
    '<figure class="mi mj paragraph-image"><div role="button" class="mo mp"><picture><source '
    'srcset="https://blog.example/a.jpg 640w"><img alt="" src="https://blog.example/a.jpg" loading="lazy"></picture>'
    '</div><figcaption class="mq">{0}</figcaption></figure>'
)
_NUMBERED: Final = (
    '<div class="highlight"><div class="chroma"><pre tabindex="0" class="chroma"><code class="language-python">{0}'
    "</code></pre></div></div>"
)


def _render(post: _Post, **forms: str) -> str:
    """Return the post as HTML, some of its elements in forms of the engine."""
    return "\n".join((forms.get(name) or _FORMS[name]).format(content) for name, content in post.parts)


def _wrap(language: str, title: str, body: str) -> str:
    direction = "rtl" if language in ("ar", "he") else "ltr"
    return (
        f'<!DOCTYPE html><html lang="{language}" dir="{direction}"><head><meta charset="utf-8"><title>{title} – Blog'
        f"</title><style>p {{ margin: 0 }}</style><script>var a = 1;</script></head><body>{body}</body></html>"
    )


def _wordpress(post: _Post, around: _Surroundings) -> str:
    return (
        f'<div id="page" class="site"><header class="site-header">{around.menu}</header><div class="site-content">'
        f'<main id="main"><article class="post type-post hentry"><header class="entry-header"><h1 class="entry-title">'
        f'{post.title}</h1><div class="entry-meta"><time datetime="2024-05-01">1.5.2024</time> <a rel="category">A</a>'
        f'</div></header><div class="entry-content">{_render(post, figure=_LAZY)}{around.share}'
        f'<div id="jp-relatedposts">{around.related}</div></div><footer class="entry-footer">A, B</footer></article>'
        f"{around.comments}</main>{around.sidebar}</div>{around.footer}{around.cookies}</div>"
    )


def _ghost(post: _Post, around: _Surroundings) -> str:
    card = (
        '<figure class="kg-card kg-image-card"><img src="https://blog.example/a.jpg" class="kg-image" loading="lazy">'
        "<figcaption>{0}</figcaption></figure>"
    )
    return (
        f'<div class="gh-viewport"><header class="gh-head">{around.menu}</header><main class="gh-main"><article '
        f'class="gh-article post"><header class="gh-article-header"><h1 class="gh-article-title">{post.title}</h1>'
        f'</header><section class="gh-content gh-canvas">{_render(post, figure=card)}'
        f"</section>{around.newsletter}</article>{around.comments}{around.related}</main>{around.footer}</div>"
    )


def _blogger(post: _Post, around: _Surroundings) -> str:
    picture = (
        '<div class="separator" style="clear: both;"><a href="https://blog.example/a.jpg"><img border="0" '
        'src="https://blog.example/a.jpg"></a><br><i>{0}</i></div>'
    )
    body = _render(post, p="{0}<br><br>", figure=picture)
    return (
        f'{around.cookies}<div class="content-outer"><div class="tabs">{around.menu}</div><div class="main-outer">'
        f'<div class="column-center"><div class="blog-posts hfeed"><div class="date-outer"><h2 class="date-header">1.5.'
        f'</h2><div class="post-outer"><div class="post hentry"><h3 class="post-title entry-title">{post.title}</h3>'
        f'<div class="post-body entry-content">{body}<div style="clear: both;"></div></div><div class="post-footer">'
        f"{around.share}</div></div>{around.comments}</div></div></div></div>{around.sidebar}</div>{around.footer}</div>"
    )


def _substack(post: _Post, around: _Surroundings) -> str:
    parts = _render(post, figure='<div class="captioned-image-container">' + _FORMS["figure"] + "</div>").split("\n")
    widget = f'<div class="subscription-widget-wrap">{around.newsletter}</div>'
    body = "\n".join((*parts[:2], widget, *parts[2:]))
    return (
        f'<div id="entry"><div class="main-menu">{around.menu}</div><div class="single-post-container"><article '
        f'class="newsletter-post post"><div class="post-header"><h1 class="post-title">{post.title}</h1></div>'
        f'<div class="available-content"><div dir="auto" class="body markup">{body}</div></div>{around.share}'
        f'</article></div><div class="comments-page">{around.comments}</div>{around.related}{around.footer}</div>'
    )


def _medium(post: _Post, around: _Surroundings) -> str:
    paragraph = '<p class="pw-post-body-paragraph nr ns fo">{0}</p>'
    return (
        f'<div id="root"><div class="a b c">{around.menu}<article><div class="m"><div class="n"><section><div><div '
        f'class="gn go"><h1 class="pw-post-title">{post.title}</h1><div class="pw-multi-vote">1.2K</div>'
        f"{_render(post, p=paragraph, figure=_PICTURE)}</div></div></section></div></div></article>{around.share}"
        f'<div class="ab cm">{around.related}</div>{around.comments}{around.footer}</div></div>'
    )


def _hugo(post: _Post, around: _Surroundings) -> str:
    return (
        f'<header class="header">{around.menu}</header><main class="main"><article class="post-single"><header '
        f'class="post-header"><h1 class="post-title">{post.title}</h1><div class="post-meta">1.5.2024 · 4 min</div>'
        f'</header><div class="post-content">{_render(post, pre=_NUMBERED)}</div><footer class="post-footer">'
        f'<ul class="post-tags"><li><a href="/t">A</a></li></ul>{around.share}</footer></article></main>{around.footer}'
    )


def _jekyll(post: _Post, around: _Surroundings) -> str:
    code = (
        '<div class="language-python highlighter-rouge"><div class="highlight"><pre class="highlight"><code>{0}</code>'
        "</pre></div></div>"
    )
    return (
        f'<header class="site-header"><div class="wrapper">{around.menu}</div></header><main class="page-content">'
        f'<div class="wrapper"><article class="post h-entry"><header class="post-header"><h1 class="post-title p-name">'
        f'{post.title}</h1></header><div class="post-content e-content">{_render(post, pre=code)}</div></article></div>'
        f'</main><footer class="site-footer h-card">{around.footer}</footer>'
    )


def _drupal(post: _Post, around: _Surroundings) -> str:
    field = "field field--name-body field--type-text-with-summary field--label-hidden field__item"
    return (
        f'<div class="dialog-off-canvas-main-canvas"><div id="page-wrapper"><header>{around.menu}</header><div '
        f'class="region region-content"><div class="block block-system-main-block"><div class="content"><article '
        f'class="node node--type-blog node--view-mode-full"><h2 class="node__title">{post.title}</h2><div '
        f'class="node__content"><div class="{field}">{_render(post)}</div><ul class="links inline">{around.share}</ul>'
        f"</div></article></div></div></div>{around.comments}{around.sidebar}</div>{around.footer}</div>{around.cookies}"
    )


def _squarespace(post: _Post, around: _Surroundings) -> str:
    block = '<div class="sqs-block html-block sqs-block-html"><div class="sqs-block-content">{}</div></div>'
    picture = (
        '<div class="image-block-outer-wrapper"><figure><img data-src="https://blog.example/a.jpg" '
        'data-image="https://blog.example/a.jpg" alt=""><figcaption><p>{0}</p></figcaption></figure></div>'
    )
    body = "".join(block.format(each) for each in _render(post, figure=picture, pre=_FORMS["pre"]).split("\n<"))
    body = body.replace('content">p>', 'content"><p>') if "pre>" not in body else block.format(_render(post))
    return (
        f'<div id="siteWrapper">{around.menu}<main id="page"><article class="sections"><section class="page-section">'
        f'<div class="blog-item-wrapper"><h1 class="blog-item-title">{post.title}</h1><div class="blog-item-content '
        f'e-content"><div class="sqs-layout"><div class="row sqs-row"><div class="col sqs-col-12">{body}</div></div>'
        f'</div></div>{around.share}</div></section></article><section class="item-pagination">{around.related}'
        f"</section>{around.comments}</main>{around.footer}{around.cookies}</div>"
    )


def _tumblr(post: _Post, around: _Surroundings) -> str:
    notes = "".join(f'<li class="note like"><a href="/u{number}">user{number}</a> ♥</li>' for number in range(30))
    picture = '<figure class="tmblr-full"><img src="https://blog.example/a.jpg"><figcaption>{0}</figcaption></figure>'
    return (
        f'<div id="container"><div id="sidebar">{around.menu}</div><div id="posts"><div class="post text"><div '
        f'class="post-content"><h2 class="title">{post.title}</h2><div class="body-text">'
        f'{_render(post, figure=picture)}</div></div><div class="tags">#a #b</div>{around.share}'
        f'<ol class="notes">{notes}</ol></div></div>'
        f"{around.related}</div>{around.footer}"
    )


_ENGINES: Final[Mapping[str, Callable[[_Post, _Surroundings], str]]] = {
    "WordPress": _wordpress,
    "Ghost": _ghost,
    "Blogger": _blogger,
    "Substack": _substack,
    "Medium": _medium,
    "Hugo": _hugo,
    "Jekyll": _jekyll,
    "Drupal": _drupal,
    "Squarespace": _squarespace,
    "Tumblr": _tumblr,
}


def make_pages() -> tuple[Page, ...]:
    """Return a page of each engine with each kind of post, in ten languages: 30 pages."""
    found = []
    for turn, (engine, write) in enumerate(_ENGINES.items()):
        for number, (kind, make) in enumerate(_KINDS.items()):
            language = _LANGUAGES[(turn + 3 * number) % len(_LANGUAGES)]
            talk = _Talk(language, 10 * turn + number)
            post = make(talk)
            body = write(post, _make_surroundings(talk))
            found.append(Page(engine, kind, language, _wrap(language, post.title, body), _render(post)))
    return tuple(found)
