"""Recognise answers of a site's bot protection that replace the document.

Facts and their sources:

- Cloudflare sends ``cf-mitigated: challenge`` with each challenge page (developers.cloudflare.com, "Detect a Challenge
  Page response"). The page's script sets ``_cf_chl_opt``.
- AWS WAF sends ``x-amzn-waf-action: challenge`` with 202 or ``captcha`` with 405 (AWS WAF Developer Guide, "CAPTCHA and
  Challenge action behavior").
- SiteGround sends ``SG-Captcha: challenge`` with 202 and a page that leads to ``/.well-known/sgcaptcha/``
  (github.com/woocommerce/woocommerce/issues/52896).
- Akamai's page says "You don't have permission to access" and "Reference #18." with the number of the refusal
  (community.akamai.com, "Why is Akamai blocking me?", 2016-04-07).
- Imperva's page says "Incapsula incident ID" (github.com/EnableSecurity/wafw00f, ``plugins/incapsula.py``). Its other
  mark, ``/_Incapsula_Resource``, also stands in pages that are let through.
- DataDome's page loads its captcha from ``captcha-delivery.com`` (docs.capsolver.com, "Solving DataDome").
- Anubis' page has its challenge in ``<script id="anubis_challenge" type="application/json">``, with status 200
  (github.com/TecharoHQ/anubis, ``web/index.templ``).

Widgets such as reCAPTCHA are no sign: they stand in the comment forms of ordinary pages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from aggregator.translation.marks import N_

READ_AT_MOST = 32 * 1024
"""Bytes of a page in which its marks are looked for; challenge pages have about 10 kB."""

PAGE_STATUSES = frozenset({403, 503})
"""Statuses of refusals that only their page distinguishes from others."""

_HEADERS = {"cf-mitigated": "Cloudflare", "x-amzn-waf-action": "AWS WAF", "sg-captcha": "SiteGround"}
_ACTIONS = frozenset({"challenge", "captcha"})
_PAGES = (
    (re.compile(rb"_cf_chl_opt\b"), "Cloudflare"),
    (re.compile(rb"/\.well-known/sgcaptcha/"), "SiteGround"),
    (re.compile(rb"(?s)have permission to access .{1,2000}Reference(?: |&#32;)(?:#|&#35;)18(?:\.|&#46;)"), "Akamai"),
    (re.compile(rb"Incapsula incident ID", re.IGNORECASE), "Imperva"),
    (re.compile(rb"\b(?:geo|ct)\.captcha-delivery\.com/"), "DataDome"),
    (re.compile(rb'id="anubis_challenge"'), "Anubis"),
)


def find_in_header(fields: Mapping[str, str]) -> str:
    """Return the bot protection that answered, by header fields whose names are in lower case; "" for none."""
    return next((name for field, name in _HEADERS.items() if fields.get(field, "").strip().lower() in _ACTIONS), "")


def find_in_page(body: bytes) -> str:
    """Return the bot protection that made a page, "" for none; only for a page without the requested document."""
    start = body[:READ_AT_MOST]
    return next((name for mark, name in _PAGES if mark.search(start)), "")


def describe(name: str) -> str:
    """Describe the refusal, and the ways around it that the owner of the config has."""
    return N_(
        f"blocked by the site's bot protection ({name}): ask the site to admit the aggregator, name another address of "
        f"the show, or save the page with a browser and give it as path; its stored entries stay"
    )
