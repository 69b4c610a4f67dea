import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { EACH_ROW, NO_DAY, NONE } from "../../../../../src/browser/owner/data/sources.ts";
import {
  type Files,
  importOf,
  type ImportOptions,
  utf16,
  zip,
} from "../../../../support/data_files.ts";

/** Files as their makers export them, the lines that they become, and the rows left out. */
interface Example {
  readonly files: Files | (() => Promise<Files>);
  readonly options?: ImportOptions;
  readonly source: string | undefined;
  readonly lines: readonly string[];
  readonly leftOut?: Readonly<Record<string, { rows: number; row: number }>>;
}

const UMAMI_HEADS = "website_id,session_id,visit_id,event_id,hostname,browser,os,device,screen," +
  "language,country,subdivision1,city,url_path,url_query,utm_source,utm_medium,utm_campaign," +
  "utm_content,utm_term,referrer_path,referrer_query,referrer_domain,page_title,gclid,fbclid," +
  "msclkid,ttclid,li_fat_id,twclid,event_type,event_name,tag,distinct_id,created_at,job_id";
const umamiRow = (path: string, type: number, time: string) =>
  `w,s,v,e,example.com,chrome,Linux,desktop,1920x1080,en-US,US,US-CA,"San Jose, CA",${path},` +
  `,,,,,,/,,,"A ""title""",,,,,,,${type},${type === 2 ? "signup" : ""},,,${time},`;
const GA4_COMMENT = "# ----------------------------------------\n# Pages and screens\n" +
  "#\n# All Users\n# Start date: 20260101\n# End date: 20260131\n";
const PATHS = '{"id":211,"path":"/hello/","title":"Hello","event":false}\n' +
  '{"id":212,"path":"click-logo","event":true}\n';
const STATS = '{"hour":"2026-03-05T19:00:00Z","path_id":211,"ref_id":1,"count":4}\n' +
  '{"hour":"2026-03-05T19:00:00Z","path_id":211,"ref_id":2,"count":3}\n' +
  '{"hour":"2026-03-05T12:00:00Z","path_id":211,"ref_id":1,"count":1}\n' +
  '{"hour":"2026-03-05T12:00:00Z","path_id":212,"ref_id":1,"count":9}\n';

const EXAMPLES: Readonly<Record<string, Example>> = {
  "GA4, with comments around the table of a chart and that of the pages": {
    files: {
      "pages.csv": `${GA4_COMMENT}Nth day,/,/a\n0000,12,4\n0001,14,5\n\n${GA4_COMMENT}` +
        "Page path and screen class,Views,Active users,Views per active user\n" +
        "/a,6225,926,6.72\n/b/index.html,12,9,1.33\n/,1200,9,1.33\n(not set),3,1,3.0\n\n# End\n",
    },
    source: "GA4",
    lines: ['{"id":"a","hits":6225}', '{"id":"b","hits":12}', '{"id":"home","hits":1200}'],
    leftOut: { "No page": { rows: 1, row: 21 }, "No views": { rows: 1, row: 23 } },
  },
  "GA4 by days, in two files of several months": {
    files: {
      "1.csv": "Page path,Date,Views\n/a,20260131,2\n/a,20260131,1\n",
      "2.csv":
        "Page path,Date,Views\n/a,20260201,5\n/a?utm=1,20260230,5\n/a,20270101,1\n/a,20260202,0\n",
    },
    source: "GA4",
    lines: ['{"id":"a","days":{"2026-01-31":3,"2026-02-01":5}}'],
    leftOut: {
      "No day": { rows: 1, row: 3 },
      "A day in the future": { rows: 1, row: 4 },
      "No views": { rows: 1, row: 5 },
    },
  },
  "a Spanish GA4, whose columns are asked": {
    files: {
      "paginas.csv": "Ruta de página;Usuarios activos;Vistas;Última visita\n" +
        '/guide/install;1.204;3.481;2026-10-02\n"/notes/a; b";12;31;2026-10-03\n' +
        "/;6.120;18.944;2026-10-03\n/drafts/new;1;–;2026-10-04\nTotal;7.337;22.456;\n",
    },
    options: { prefix: "blog/", choice: { page: "Ruta de página", number: "Vistas" } },
    source: undefined,
    lines: [
      '{"id":"blog/guide/install","hits":3481}',
      '{"id":"blog/notes/a; b","hits":31}',
      '{"id":"blog/home","hits":18944}',
    ],
    leftOut: {
      "No whole number": { rows: 1, row: 5 },
      "The sum of all other rows": { rows: 1, row: 6 },
    },
  },
  "Plausible's pages.csv": {
    files: {
      "pages.csv":
        "name,visitors,pageviews,bounce_rate,time_on_page,scroll_depth\n/,5,9,10,31,84\n",
    },
    source: "Plausible",
    lines: ['{"id":"home","hits":9}'],
  },
  "Plausible's ZIP, of which only the pages are counted": {
    files: async () => ({
      "export.zip": await zip({
        "imported_visitors_20260101.csv":
          '"date","visitors","pageviews","bounces"\n"2026-01-01",4,9,1\n',
        "imported_pages_20260101.csv":
          '"date","hostname","page","visits","visitors","pageviews","total_scroll_depth"\n' +
          '"2026-01-01","example.com","/a,b",3,2,4,190\n"2026-01-02","example.com","/a,b",3,2,5,190\n',
      }),
    }),
    source: "Plausible",
    lines: ['{"id":"a,b","days":{"2026-01-01":4,"2026-01-02":5}}'],
  },
  "Umami's 36 columns": {
    files: {
      "website_event.csv": `${UMAMI_HEADS}\n` + [
        umamiRow("/a", 1, "2026-01-01 23:59:59"),
        umamiRow("/a", 2, "2026-01-01 23:59:59"),
        umamiRow("/a/", 1, "2026-01-02 00:00:00.123+00"),
        umamiRow("", 1, "2026-01-02 00:00:00"),
      ].join("\n"),
    },
    source: "Umami",
    lines: ['{"id":"a","days":{"2026-01-01":1,"2026-01-02":1}}'],
    leftOut: { "Events, not views": { rows: 1, row: 3 }, "No page": { rows: 1, row: 5 } },
  },
  "Matomo in UTF-16, with the folders of its tree": {
    files: {
      "Actions.tsv": utf16(
        "label\tnb_visits\tnb_hits\turl\r\n/a\t9\t12\thttps://example.com/a\r\nblog\t40\t50\t\r\n" +
          "/b\t1\t1\thttps://example.com/b/\r\n",
      ),
    },
    source: "Matomo",
    lines: ['{"id":"a","hits":12}', '{"id":"b","hits":1}'],
    leftOut: { "No page": { rows: 1, row: 3 } },
  },
  "GoatCounter's CSV, in the days of the service": {
    files: {
      "goatcounter-export.csv":
        "2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,Referrer scheme," +
        "Screen size,Location,FirstVisit,Date\n" +
        "/a,A,false,,Firefox,Linux,1,0,,o,,DE,true,2026-03-05T15:59:59Z\n" +
        "/a,A,false,,Firefox,Linux,1,0,,o,,DE,true,2026-03-05T16:00:00Z\n" +
        "/a,A,false,,bot,Linux,1,3,,o,,DE,true,2026-03-05T16:00:00Z\n" +
        "click,A,true,,Firefox,Linux,1,0,,o,,DE,true,2026-03-05T16:00:00Z\n",
    },
    options: { timeZone: "Asia/Shanghai" },
    source: "GoatCounter",
    lines: ['{"id":"a","days":{"2026-03-05":1,"2026-03-06":1}}'],
    leftOut: { Crawlers: { rows: 1, row: 4 }, "Events, not views": { rows: 1, row: 5 } },
  },
  "GoatCounter's ZIP, whose numbers and pages are two tables": {
    files: async () => ({
      "goatcounter.zip": await zip({ "hit_stats.jsonl": STATS, "paths.jsonl": PATHS }),
    }),
    options: { timeZone: "Asia/Shanghai" },
    source: "GoatCounter",
    lines: ['{"id":"hello","days":{"2026-03-06":7,"2026-03-05":1}}'],
    leftOut: { "No page in paths.jsonl of the same export": { rows: 1, row: 4 } },
  },
  "Fathom by days": {
    files: { "pages.csv": "datetime,pathname,pageviews\n2026-01-01 00:00:00,/a,4\n" },
    source: "Fathom",
    lines: ['{"id":"a","days":{"2026-01-01":4}}'],
  },
  "Simple Analytics, whose rows are views, with Unix times": {
    files: {
      "export.csv": "added_unix,path,datapoint,is_robot\n1772734500,/a,pageview,false\n" +
        "1772734500,/a,signup,false\n1772734500,/a,pageview,true\n",
    },
    source: "Simple Analytics",
    lines: ['{"id":"a","days":{"2026-03-05":1}}'],
    leftOut: { "Events, not views": { rows: 1, row: 3 }, Crawlers: { rows: 1, row: 4 } },
  },
  "GoAccess, whose numbers are members of objects": {
    files: {
      "report.json": JSON.stringify({
        general: { total_requests: 9 },
        requests: {
          metadata: { hits: { total: { value: 7 } } },
          data: [{ hits: { count: 7, percent: "70%" }, method: "GET", data: "/a/" }],
        },
        static_requests: { data: [{ hits: { count: 9 }, method: "GET", data: "/x.png" }] },
      }),
    },
    source: "GoAccess",
    lines: ['{"id":"a","hits":7}'],
  },
  "GoAccess as CSV, with and without a summary": {
    files: {
      "report.csv":
        '"0",,"general",,,,,,,,"2026-11-28","date_time"\r\n"0",,"visitors","9","7","9%",,,"x"\r\n' +
        '"0",,"requests","7","77.78%","3","60.00%","GET","HTTP/1.1","/a/"\r\n' +
        '"0",,"static_requests","2","22.22%","2","40.00%","GET","HTTP/1.1","/x.png"\r\n',
      "short.csv": '"0",,"visitors","9","7","9%",,,"x"\n"0",,"requests","5","3","60.00%",,,"/b"\n',
    },
    source: "GoAccess",
    lines: ['{"id":"a","hits":7}', '{"id":"b","hits":5}'],
  },
  "pages that parameters name": {
    files: { "x.csv": "page,views\n/?p=7&utm_source=x,3\n/?p=8,5\n/about/?x=1,1\n" },
    options: { prefix: "blog/", query: "p" },
    source: undefined,
    lines: [
      '{"id":"blog/?p=7","hits":3}',
      '{"id":"blog/?p=8","hits":5}',
      '{"id":"blog/about","hits":1}',
    ],
  },
  "Waline's table of counters": {
    files: {
      "counter.csv":
        "id,time,reaction0,url,createdAt,updatedAt\n1,33,,/a/,2024-01-01,\n2,,,/b/,,\n",
    },
    source: "Waline",
    lines: ['{"id":"a","hits":33}'],
    leftOut: { "No views": { rows: 1, row: 3 } },
  },
  "LeanCloud's class of counters, below a name": {
    files: {
      "Counter.0.jsonl": '#filetype:JSON-streaming {"type":"Class","class":"Counter"}\n' +
        '{"url":"/2026/01/post/","title":"P","time":12,"objectId":"a","ACL":{"*":{"read":true}}}\n' +
        '{"url":"/","title":"H","time":5,"objectId":"b"}\n',
    },
    options: { prefix: "leancloud/blog/" },
    source: "LeanCloud",
    lines: [
      '{"id":"leancloud/blog/2026/01/post","hits":12}',
      '{"id":"leancloud/blog/*home","hits":5}',
    ],
  },
  "Jetpack, without heads": {
    files: {
      "posts.csv":
        '"Title, with comma",1234,"https://example.com/a/"\n"Home",9,"https://example.com"\n',
    },
    source: "Jetpack",
    lines: ['{"id":"a","hits":1234}', '{"id":"home","hits":9}'],
  },
  "a list of numbers and addresses, with a line that has no number before its id": {
    files: { "list.txt": "user/repo 12\n12,345 https://example.com/a\n\n  7 x y\n" },
    source: undefined,
    lines: ['{"id":"a","hits":12345}', '{"id":"x y","hits":7}'],
    leftOut: { "No whole number": { rows: 1, row: 1 } },
  },
  "titles that begin with numbers": {
    files: { "x.csv": "10 tips,532\n5 ways,7\n" },
    source: undefined,
    lines: ['{"id":"10 tips","hits":532}', '{"id":"5 ways","hits":7}'],
  },
  "a row with more cells than columns, which is left out": {
    files: { "x.csv": "page,views\n/a,1,234\n/b,56,\n" },
    source: undefined,
    lines: ['{"id":"b","hits":56}'],
    leftOut: { "More cells than columns": { rows: 1, row: 2 } },
  },
  "tabs between numbers with commas": {
    files: { "x.tsv": "/a\t1,234\n/b\t2,345\n" },
    source: undefined,
    lines: ['{"id":"a","hits":1234}', '{"id":"b","hits":2345}'],
  },
  "Umami's pages that parameters name": {
    files: {
      "x.csv":
        "url_path,url_query,event_type,created_at\n/,p=1,1,2026-01-01\n/,p=2,1,2026-01-01\n" +
        "/,,1,2026-01-01\n",
    },
    options: { query: "p" },
    source: "Umami",
    lines: [
      '{"id":"?p=1","days":{"2026-01-01":1}}',
      '{"id":"?p=2","days":{"2026-01-01":1}}',
      '{"id":"home","days":{"2026-01-01":1}}',
    ],
  },
  "Matomo by days": {
    files: { "x.csv": "date,label,nb_hits,url\n2026-01-02,a,12,https://example.com/a\n" },
    source: "Matomo",
    lines: ['{"id":"a","days":{"2026-01-02":12}}'],
  },
  "a list in JSON with facts about it": {
    files: { "x.json": '{"meta":{"page":1},"results":[{"path":"/a","views":5}]}' },
    source: undefined,
    lines: ['{"id":"a","hits":5}'],
  },
  "a map in JSON": {
    files: { "map.json": '{"/a/": 5,\n "user/repo": 12}' },
    source: undefined,
    lines: ['{"id":"a","hits":5}', '{"id":"user/repo","hits":12}'],
  },
  "pairs without heads": {
    files: { "pairs.csv": 'user/repo,"1,889"\n"quoted, id",7\n' },
    source: undefined,
    lines: ['{"id":"user/repo","hits":1889}', '{"id":"quoted, id","hits":7}'],
  },
  "one line of an export of Tallymark": {
    files: { "one.ndjson": '{"id":"a","hits":9,"days":{"2026-01-01":4}}\n' },
    source: undefined,
    lines: ['{"id":"a","hits":9,"days":{"2026-01-01":4}}'],
  },
  "an export of Tallymark that PowerShell saved in UTF-16": {
    files: {
      "counters.ndjson": utf16(
        '{"id":"a","hits":9,"days":{"2026-01-01":4}}\r\n{"id":"b","hits":1}\r\n{"counters":2}\r\n',
      ),
    },
    source: undefined,
    lines: ['{"id":"a","hits":9,"days":{"2026-01-01":4}}', '{"id":"b","hits":1}'],
  },
};

for (const [name, { files, options, source, lines, leftOut = {} }] of Object.entries(EXAMPLES)) {
  Deno.test(`import: ${name}`, async () => {
    const given = typeof files === "function" ? await files() : files;
    const result = await importOf(given, options);
    deepStrictEqual(result.lines, lines);
    deepStrictEqual(result.leftOut, leftOut);
    strictEqual(result.tables.find((table) => table.source)?.source?.name, source);
  });
}

/** Tables of unknown places, and the names of the columns that are proposed. */
const PROPOSALS: Readonly<Record<string, readonly [text: string, proposed: string]>> = {
  "of several columns with numbers none": [
    "Seite,Nutzer,Aufrufe,Rate\n/a,1,2,6.72\n/b,1,2,1.5",
    "Seite | ? | ?",
  ],
  "the only column with numbers, which may end in .0 and be empty": [
    "Seite,Aufrufe\n/a,2.0\n/b,\n/c,57.0",
    "Seite | Aufrufe | no day",
  ],
  "no index and no hours as views": [
    "pos,page,dateHour\n0,/a,2026112010\n1,/b,2026112011",
    "page | each row | ?",
  ],
  "ISO dates": [
    "date,page,views\n2026-01-02,/a,2\n2026-01-03,/a,9",
    "page | views | date year-month-day",
  ],
  "German dates": [
    "Tag;Seite;Aufrufe\n13.1.2026;/a;2\n1.2.2026;/a;9\n2.2.2026;/a;9",
    "Seite | Aufrufe | Tag day.month.year",
  ],
  "American dates": [
    "Day,Page,Views\n1/13/2026,/a,2\n1/2/2026,/a,9",
    "Page | Views | Day month/day/year",
  ],
  "Unix times, which are no views": [
    "ts,page,views\n1772734500,/a,2\n1772734600,/a,9",
    "page | views | ts Unix seconds",
  ],
  "no day if two orders fit": ["Day,Page,Views\n11/12/2026,/a,2", "Page | Views | ?"],
  "no day if a row has none": [
    "Day,Page,Views\n2026-01-02,/a,2\n,/b,3\n2026-01-02,/c,2",
    "Page | Views | ?",
  ],
  "no day of two": ["from,to,page,views\n2026-01-02,2026-01-03,/a,2", "page | views | ?"],
  "each row of a log as one view": [
    "time,path,post_id\n2026-01-02T10:00:00Z,/a,12\n2026-01-02 10:00:00 UTC,/b,9",
    "path | each row | time year-month-day",
  ],
  "each row as one view if no column has numbers": ["path,agent\n/a,x", "path | each row | ?"],
  "no day if dates are in an order that is not read": [
    'Date,Page,Views\n"Nov 1, 2026",/a,5\n"Nov 13, 2026",/a,9',
    "Page | Views | ?",
  ],
  "no day if years have two digits": ["Tag;Seite;Aufrufe\n1.11.26;/a;5", "Seite | Aufrufe | ?"],
  "no times and no rates as views": [
    "page,timestamp,avg_time_seconds,share,n\n/a,20261120101530,31,0.375,7\n/b,20261120101531,12,0.500,8",
    "page | n | ?",
  ],
  "no day of a known place whose days have another name": [
    "Page path,Date + hour (YYYYMMDDHH),Views\n/a,2026112010,3",
    "Page path | Views | ?",
  ],
  "no number of a log with blanks": [
    "#Fields: date time uri status\n2026-11-01 10:00:00 /a 200\n2026-11-01 10:00:01 /b 200",
    "2026-11-01 10:00:00 /a 200 | ? | no day",
  ],
  "no ids and no row numbers": [",page_id,page,n\n4,12,/a,1\n5,9,/b,2", "page | n | ?"],
};

for (const [what, [text, proposed]] of Object.entries(PROPOSALS)) {
  Deno.test(`import: of an unknown table are proposed: ${what}`, async () => {
    const { tables: [table] } = await importOf({ "x.csv": text });
    ok(table);
    const { page, number, day, order } = table.columns;
    const nameOf = (index: number) => index === NONE ? "?" : table.heads[index];
    const days = day === NO_DAY ? "no day" : day === NONE ? "?" : `${nameOf(day)} ${order.words}`;
    const numbers = number === EACH_ROW ? "each row" : nameOf(number);
    strictEqual([nameOf(page), numbers, days].join(" | "), proposed);
  });
}
