// What three other programs see in feeds: node read.mjs FILE... prints {file: {parser: {...}}}, with an "error" where
// one throws. Run by tests/unit/generator/test_second_opinions.py.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { parseFeed } from "feedsmith";

process.env.PARTYTIME_LOG ??= "silent";
const require = createRequire(import.meta.url);
const partytime = require("podcast-partytime");
const Parser = require("rss-parser");

async function seen(read) {
  try {
    return await read();
  } catch (error) {
    return { error: String(error?.stack ?? error) };
  }
}

const opinions = {};
for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, "utf8");
  opinions[basename(file)] = {
    partytime: await seen(() => partytime.parseFeed(text)),
    feedsmith: await seen(() => parseFeed(text)),
    rssParser: await seen(() => new Parser().parseString(text)),
  };
}
console.log(JSON.stringify(opinions));
