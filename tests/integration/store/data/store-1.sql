BEGIN TRANSACTION;
CREATE TABLE cache (
	feed TEXT NOT NULL, 
	stage TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	used INTEGER NOT NULL, 
	value BLOB NOT NULL, 
	PRIMARY KEY (feed, stage, "key")
);
INSERT INTO "cache" VALUES('harbour','repair','a key',1,X'3EBEEBB0B90A0F4E00FF');
INSERT INTO "cache" VALUES('island','repair','a key',1,X'9BD52CA367608CE100FF');
CREATE TABLE decisions (
	checksum BIGINT NOT NULL, 
	feed TEXT NOT NULL, 
	"left" TEXT NOT NULL, 
	"right" TEXT NOT NULL, 
	decided TEXT NOT NULL, 
	record TEXT NOT NULL, 
	PRIMARY KEY (feed, "left", "right")
);
INSERT INTO "decisions" VALUES(462470195094,'harbour','host/1','shop/x','2024-03-09T12:00:00.000000Z','{"left":"host/1","right":"shop/x","verdict":"different"}');
INSERT INTO "decisions" VALUES(75088554836,'island','host/1','shop/x','2024-03-09T12:00:00.000000Z','{"left":"host/1","right":"shop/x","verdict":"different"}');
CREATE TABLE entries (
	checksum BIGINT NOT NULL, 
	feed TEXT NOT NULL, 
	source TEXT NOT NULL, 
	document INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	first INTEGER NOT NULL, 
	last INTEGER, 
	place INTEGER NOT NULL, 
	first_seen TEXT NOT NULL, 
	last_seen TEXT, 
	changed TEXT, 
	record TEXT NOT NULL, 
	PRIMARY KEY (feed, source, document, "key")
);
INSERT INTO "entries" VALUES(241388986572,'harbour','host',0,'1','7b4c4f531fe8785604c5045f27911751',1,NULL,0,'2024-03-09T12:00:00.000000Z',NULL,NULL,'{"enclosure":{"length":1000,"type":"audio/mpeg","url":"https://host.example/1.mp3"},"key":"1","published":{"at":"2024-03-09T12:00:00Z"},"source":"host","title":"Tide 1 \u0000 港"}');
INSERT INTO "entries" VALUES(705458279647,'harbour','host',0,'2','422a215701aa89011ffbcdc5e57ca4b5',1,NULL,0,'2024-03-09T12:00:00.000000Z',NULL,NULL,'{"enclosure":{"length":1000,"type":"audio/mpeg","url":"https://host.example/2.mp3"},"key":"2","published":{"at":"2024-03-09T12:00:00Z"},"source":"host","title":"Tide 2 \u0000 港"}');
INSERT INTO "entries" VALUES(744109938246,'harbour','host',0,'a','08bb155e27b050bb3f37f2ed9907eefe',1,NULL,0,'2024-03-09T12:00:00.000000Z',NULL,NULL,'{"enclosure":{"length":1000,"type":"audio/mpeg","url":"https://host.example/a.mp3"},"key":"a","published":{"at":"2024-03-09T12:00:00Z"},"source":"host","title":"Tide a \u0000 港"}');
INSERT INTO "entries" VALUES(852228929331,'harbour','host',0,'#c2f093e41879e412280bfcc0ed6533e4','711aa5293a4fcd13c068c82906062cca',1,NULL,0,'2024-03-09T12:00:00.000000Z',NULL,NULL,'{"enclosure":{"length":1000,"type":"audio/mpeg","url":"https://host.example/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.mp3"},"key":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx","published":{"at":"2024-03-09T12:00:00Z"},"source":"host","title":"Tide xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx \u0000 港"}');
INSERT INTO "entries" VALUES(471177466277,'harbour','shop',0,'1','dc332355cb4dd77fa43d233c7773e58a',1,NULL,0,'2024-03-09T12:00:00.000000Z',NULL,NULL,'{"enclosure":{"length":1000,"type":"audio/mpeg","url":"https://shop.example/1.mp3"},"key":"1","published":{"at":"2024-03-09T12:00:00Z"},"source":"shop","title":"Tide 1 \u0000 港"}');
INSERT INTO "entries" VALUES(943330097548,'harbour','shop',0,'2','e79691d127c5533210702af8aca42900',1,NULL,0,'2024-03-09T12:00:00.000000Z',NULL,NULL,'{"enclosure":{"length":1000,"type":"audio/mpeg","url":"https://shop.example/2.mp3"},"key":"2","published":{"at":"2024-03-09T12:00:00Z"},"source":"shop","title":"Tide 2 \u0000 港"}');
INSERT INTO "entries" VALUES(10237015902,'harbour','shop',0,'a','328a58133978ae2ed89043e206c420d9',1,NULL,0,'2024-03-09T12:00:00.000000Z',NULL,NULL,'{"enclosure":{"length":1000,"type":"audio/mpeg","url":"https://shop.example/a.mp3"},"key":"a","published":{"at":"2024-03-09T12:00:00Z"},"source":"shop","title":"Tide a \u0000 港"}');
INSERT INTO "entries" VALUES(637270151369,'harbour','shop',0,'#c2f093e41879e412280bfcc0ed6533e4','67ca573e2cb9350c47c49006b5ae9571',1,NULL,0,'2024-03-09T12:00:00.000000Z',NULL,NULL,'{"enclosure":{"length":1000,"type":"audio/mpeg","url":"https://shop.example/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.mp3"},"key":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx","published":{"at":"2024-03-09T12:00:00Z"},"source":"shop","title":"Tide xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx \u0000 港"}');
INSERT INTO "entries" VALUES(1024616716147,'island','host',0,'1','7b4c4f531fe8785604c5045f27911751',1,NULL,0,'2024-03-09T12:00:00.000000Z',NULL,NULL,'{"enclosure":{"length":1000,"type":"audio/mpeg","url":"https://host.example/1.mp3"},"key":"1","published":{"at":"2024-03-09T12:00:00Z"},"source":"host","title":"Tide 1 \u0000 港"}');
INSERT INTO "entries" VALUES(989970289889,'island','host',0,'2','422a215701aa89011ffbcdc5e57ca4b5',1,NULL,0,'2024-03-09T12:00:00.000000Z',NULL,NULL,'{"enclosure":{"length":1000,"type":"audio/mpeg","url":"https://host.example/2.mp3"},"key":"2","published":{"at":"2024-03-09T12:00:00Z"},"source":"host","title":"Tide 2 \u0000 港"}');
INSERT INTO "entries" VALUES(470743607472,'island','host',0,'a','08bb155e27b050bb3f37f2ed9907eefe',1,NULL,0,'2024-03-09T12:00:00.000000Z',NULL,NULL,'{"enclosure":{"length":1000,"type":"audio/mpeg","url":"https://host.example/a.mp3"},"key":"a","published":{"at":"2024-03-09T12:00:00Z"},"source":"host","title":"Tide a \u0000 港"}');
INSERT INTO "entries" VALUES(424997181244,'island','host',0,'#c2f093e41879e412280bfcc0ed6533e4','711aa5293a4fcd13c068c82906062cca',1,NULL,0,'2024-03-09T12:00:00.000000Z',NULL,NULL,'{"enclosure":{"length":1000,"type":"audio/mpeg","url":"https://host.example/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.mp3"},"key":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx","published":{"at":"2024-03-09T12:00:00Z"},"source":"host","title":"Tide xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx \u0000 港"}');
INSERT INTO "entries" VALUES(958845965892,'island','shop',0,'1','dc332355cb4dd77fa43d233c7773e58a',1,NULL,0,'2024-03-09T12:00:00.000000Z',NULL,NULL,'{"enclosure":{"length":1000,"type":"audio/mpeg","url":"https://shop.example/1.mp3"},"key":"1","published":{"at":"2024-03-09T12:00:00Z"},"source":"shop","title":"Tide 1 \u0000 港"}');
INSERT INTO "entries" VALUES(111663145944,'island','shop',0,'2','e79691d127c5533210702af8aca42900',1,NULL,0,'2024-03-09T12:00:00.000000Z',NULL,NULL,'{"enclosure":{"length":1000,"type":"audio/mpeg","url":"https://shop.example/2.mp3"},"key":"2","published":{"at":"2024-03-09T12:00:00Z"},"source":"shop","title":"Tide 2 \u0000 港"}');
INSERT INTO "entries" VALUES(648724721432,'island','shop',0,'a','328a58133978ae2ed89043e206c420d9',1,NULL,0,'2024-03-09T12:00:00.000000Z',NULL,NULL,'{"enclosure":{"length":1000,"type":"audio/mpeg","url":"https://shop.example/a.mp3"},"key":"a","published":{"at":"2024-03-09T12:00:00Z"},"source":"shop","title":"Tide a \u0000 港"}');
INSERT INTO "entries" VALUES(135621596378,'island','shop',0,'#c2f093e41879e412280bfcc0ed6533e4','67ca573e2cb9350c47c49006b5ae9571',1,NULL,0,'2024-03-09T12:00:00.000000Z',NULL,NULL,'{"enclosure":{"length":1000,"type":"audio/mpeg","url":"https://shop.example/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.mp3"},"key":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx","published":{"at":"2024-03-09T12:00:00Z"},"source":"shop","title":"Tide xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx \u0000 港"}');
CREATE TABLE events (
	checksum BIGINT NOT NULL, 
	feed TEXT NOT NULL, 
	at TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	record TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	PRIMARY KEY (number)
);
INSERT INTO "events" VALUES(54634714911,'harbour','2024-03-09T12:00:00.000000Z','decided','{"at":"2024-03-09T12:00:00Z","kind":"decided","text":"different: host/1 | shop/x"}',1);
INSERT INTO "events" VALUES(695656342248,'harbour','2024-03-09T12:00:00.000000Z','overridden','{"at":"2024-03-09T12:00:00Z","kind":"overridden","text":"tag:harbour.example,2024:1 title: Low tide, again"}',2);
INSERT INTO "events" VALUES(203210863102,'island','2024-03-09T12:00:00.000000Z','decided','{"at":"2024-03-09T12:00:00Z","kind":"decided","text":"different: host/1 | shop/x"}',3);
INSERT INTO "events" VALUES(778741776309,'island','2024-03-09T12:00:00.000000Z','overridden','{"at":"2024-03-09T12:00:00Z","kind":"overridden","text":"tag:harbour.example,2024:1 title: Low tide, again"}',4);
CREATE TABLE facts (
	checksum BIGINT NOT NULL, 
	feed TEXT NOT NULL, 
	name TEXT NOT NULL, 
	value BLOB NOT NULL, 
	PRIMARY KEY (feed, name)
);
INSERT INTO "facts" VALUES(666008091620,'harbour','match/table',X'00FF');
INSERT INTO "facts" VALUES(988108251821,'island','match/table',X'00FF');
CREATE TABLE feeds (
	checksum BIGINT NOT NULL, 
	feed TEXT NOT NULL, 
	runs INTEGER NOT NULL, 
	guid TEXT, 
	fingerprint TEXT, 
	updated TEXT, 
	PRIMARY KEY (feed)
);
INSERT INTO "feeds" VALUES(252986996651,'harbour',1,'9b2f4c1e-0000-5000-8000-000000000001','f','2024-03-09T12:00:00.000000Z');
INSERT INTO "feeds" VALUES(180244755673,'island',1,'9b2f4c1e-0000-5000-8000-000000000001','f','2024-03-09T12:00:00.000000Z');
CREATE TABLE guids (
	checksum BIGINT NOT NULL, 
	feed TEXT NOT NULL, 
	guid TEXT NOT NULL, 
	record TEXT NOT NULL, 
	PRIMARY KEY (feed, guid)
);
INSERT INTO "guids" VALUES(556308761035,'harbour','tag:harbour.example,2024:1','{"entries":["host/1","shop/a"],"guid":"tag:harbour.example,2024:1","minted":"2024-03-09T12:00:00Z","published":{"at":"2024-03-09T12:00:00Z"},"title":"Low tide"}');
INSERT INTO "guids" VALUES(755670910405,'harbour','港-2','{"entries":["host/2"],"guid":"港-2","minted":"2024-03-16T12:00:00Z","published":{"at":"2024-03-16T12:00:00Z"},"title":"Høyvann"}');
INSERT INTO "guids" VALUES(966368141690,'island','tag:harbour.example,2024:1','{"entries":["host/1","shop/a"],"guid":"tag:harbour.example,2024:1","minted":"2024-03-09T12:00:00Z","published":{"at":"2024-03-09T12:00:00Z"},"title":"Low tide"}');
INSERT INTO "guids" VALUES(792733844068,'island','港-2','{"entries":["host/2"],"guid":"港-2","minted":"2024-03-16T12:00:00Z","published":{"at":"2024-03-16T12:00:00Z"},"title":"Høyvann"}');
CREATE TABLE hosts (
	host TEXT NOT NULL, 
	owner TEXT, 
	lease_until TEXT, 
	next_at TEXT NOT NULL, 
	hold_until TEXT, 
	PRIMARY KEY (host)
);
INSERT INTO "hosts" VALUES('host.example','a run','2024-03-09T12:01:00.000000Z','2024-03-09T12:00:02.000000Z',NULL);
CREATE TABLE last_published (
	checksum BIGINT NOT NULL, 
	feed TEXT NOT NULL, 
	guid TEXT NOT NULL, 
	record TEXT NOT NULL, 
	PRIMARY KEY (feed, guid)
);
INSERT INTO "last_published" VALUES(369912842954,'harbour','tag:harbour.example,2024:1','a line');
INSERT INTO "last_published" VALUES(1043715215396,'harbour','港-2','a line');
INSERT INTO "last_published" VALUES(1069916058710,'island','tag:harbour.example,2024:1','a line');
INSERT INTO "last_published" VALUES(374190222462,'island','港-2','a line');
CREATE TABLE leases (
	feed TEXT NOT NULL, 
	due_at TEXT NOT NULL, 
	again INTEGER NOT NULL, 
	token TEXT, 
	lease_until TEXT, 
	owner TEXT, 
	PRIMARY KEY (feed)
);
INSERT INTO "leases" VALUES('','2024-03-09T12:00:00.000000Z',0,NULL,NULL,NULL);
INSERT INTO "leases" VALUES('harbour','2024-03-09T12:00:00.000000Z',0,NULL,NULL,NULL);
INSERT INTO "leases" VALUES('island','2024-03-09T12:00:00.000000Z',0,NULL,NULL,NULL);
CREATE TABLE meta (
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "meta" VALUES('schema','1');
INSERT INTO "meta" VALUES('generation','1');
INSERT INTO "meta" VALUES('sum/entries/harbour/host','2543186133796');
INSERT INTO "meta" VALUES('sum/sources/harbour','1871922454092');
INSERT INTO "meta" VALUES('sum/shows/harbour','1488349433700');
INSERT INTO "meta" VALUES('sum/entries/harbour/shop','2062014731096');
INSERT INTO "meta" VALUES('sum/guids/harbour','1311979671440');
INSERT INTO "meta" VALUES('sum/decisions/harbour','462470195094');
INSERT INTO "meta" VALUES('sum/overrides/harbour','607947717001');
INSERT INTO "meta" VALUES('sum/feeds/harbour','252986996651');
INSERT INTO "meta" VALUES('sum/facts/harbour','666008091620');
INSERT INTO "meta" VALUES('sum/entries/island/host','2910327794752');
INSERT INTO "meta" VALUES('sum/sources/island','1229171856511');
INSERT INTO "meta" VALUES('sum/shows/island','1627317852125');
INSERT INTO "meta" VALUES('sum/entries/island/shop','1854855429646');
INSERT INTO "meta" VALUES('sum/guids/island','1759101985758');
INSERT INTO "meta" VALUES('sum/decisions/island','75088554836');
INSERT INTO "meta" VALUES('sum/overrides/island','525722601600');
INSERT INTO "meta" VALUES('sum/feeds/island','180244755673');
INSERT INTO "meta" VALUES('sum/facts/island','988108251821');
CREATE TABLE overrides (
	checksum BIGINT NOT NULL, 
	feed TEXT NOT NULL, 
	guid TEXT NOT NULL, 
	field TEXT NOT NULL, 
	decided TEXT NOT NULL, 
	record TEXT NOT NULL, 
	PRIMARY KEY (feed, guid, field)
);
INSERT INTO "overrides" VALUES(607947717001,'harbour','tag:harbour.example,2024:1','title','2024-03-09T12:00:00.000000Z','{"field":"title","guid":"tag:harbour.example,2024:1","value":"Low tide, again"}');
INSERT INTO "overrides" VALUES(525722601600,'island','tag:harbour.example,2024:1','title','2024-03-09T12:00:00.000000Z','{"field":"title","guid":"tag:harbour.example,2024:1","value":"Low tide, again"}');
CREATE TABLE poll_days (
	day TEXT NOT NULL, 
	feed TEXT NOT NULL, 
	source TEXT NOT NULL, 
	polls INTEGER NOT NULL, 
	failures INTEGER NOT NULL, 
	answers INTEGER NOT NULL, 
	milliseconds INTEGER NOT NULL, 
	slowest INTEGER NOT NULL, 
	PRIMARY KEY (day, feed, source)
)
 WITHOUT ROWID

;
INSERT INTO "poll_days" VALUES('2024-03-09','harbour','host',1,0,1,80,80);
INSERT INTO "poll_days" VALUES('2024-03-09','harbour','shop',1,0,1,80,80);
INSERT INTO "poll_days" VALUES('2024-03-09','island','host',1,0,1,80,80);
INSERT INTO "poll_days" VALUES('2024-03-09','island','shop',1,0,1,80,80);
CREATE TABLE poll_states (
	checksum BIGINT NOT NULL, 
	feed TEXT NOT NULL, 
	source TEXT NOT NULL, 
	url TEXT NOT NULL, 
	host TEXT NOT NULL, 
	hold_until TEXT, 
	record TEXT NOT NULL, 
	PRIMARY KEY (feed, source, url)
);
INSERT INTO "poll_states" VALUES(210181088452,'harbour','host','https://host.example/feed','host.example:443',NULL,'{"url":"https://host.example/feed","validators":{"etag":"\"1\""}}');
INSERT INTO "poll_states" VALUES(523141886500,'harbour','shop','https://shop.example/feed','shop.example:443',NULL,'{"url":"https://shop.example/feed","validators":{"etag":"\"1\""}}');
INSERT INTO "poll_states" VALUES(796846924838,'island','host','https://host.example/feed','host.example:443',NULL,'{"url":"https://host.example/feed","validators":{"etag":"\"1\""}}');
INSERT INTO "poll_states" VALUES(392924953025,'island','shop','https://shop.example/feed','shop.example:443',NULL,'{"url":"https://shop.example/feed","validators":{"etag":"\"1\""}}');
CREATE TABLE polls (
	feed TEXT NOT NULL, 
	source TEXT NOT NULL, 
	value BLOB NOT NULL, 
	PRIMARY KEY (feed, source)
);
INSERT INTO "polls" VALUES('harbour','host',X'9197CE65EC4F40A26F6BCCC8C050C0A0');
INSERT INTO "polls" VALUES('harbour','shop',X'9197CE65EC4F40A26F6BCCC8C050C0A0');
INSERT INTO "polls" VALUES('island','host',X'9197CE65EC4F40A26F6BCCC8C050C0A0');
INSERT INTO "polls" VALUES('island','shop',X'9197CE65EC4F40A26F6BCCC8C050C0A0');
CREATE TABLE shows (
	checksum BIGINT NOT NULL, 
	feed TEXT NOT NULL, 
	source TEXT NOT NULL, 
	document INTEGER NOT NULL, 
	anchor INTEGER NOT NULL, 
	record TEXT NOT NULL, 
	PRIMARY KEY (feed, source, document)
);
INSERT INTO "shows" VALUES(689602601711,'harbour','host',0,0,'{"title":"Harbour talk"}');
INSERT INTO "shows" VALUES(798746831989,'harbour','shop',0,0,'{"title":"Harbour talk"}');
INSERT INTO "shows" VALUES(1050596897680,'island','host',0,0,'{"title":"Harbour talk"}');
INSERT INTO "shows" VALUES(576720954445,'island','shop',0,0,'{"title":"Harbour talk"}');
CREATE TABLE sources (
	checksum BIGINT NOT NULL, 
	feed TEXT NOT NULL, 
	source TEXT NOT NULL, 
	listings INTEGER NOT NULL, 
	listed_at TEXT NOT NULL, 
	record TEXT NOT NULL, 
	PRIMARY KEY (feed, source)
);
INSERT INTO "sources" VALUES(1050349244600,'harbour','host',1,'2024-03-09T12:00:00.000000Z','{"kind":"feed","name":"host"}');
INSERT INTO "sources" VALUES(821573209492,'harbour','shop',1,'2024-03-09T12:00:00.000000Z','{"kind":"feed","name":"shop"}');
INSERT INTO "sources" VALUES(165879496289,'island','host',1,'2024-03-09T12:00:00.000000Z','{"kind":"feed","name":"host"}');
INSERT INTO "sources" VALUES(1063292360222,'island','shop',1,'2024-03-09T12:00:00.000000Z','{"kind":"feed","name":"shop"}');
CREATE INDEX poll_states_held ON poll_states (hold_until);
CREATE INDEX leases_held ON leases (lease_until);
CREATE INDEX leases_due ON leases (due_at);
CREATE INDEX events_of_feed ON events (feed, number);
COMMIT;
