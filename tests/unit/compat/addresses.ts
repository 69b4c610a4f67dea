/** An address from a public README or blog, and the response to its first request here. */
export interface EmbeddedAddress {
  readonly address: string;
  readonly id: string;
  /** The text for screen readers. */
  readonly title: string;
  /** The colors of the label's box and of the number's. Undefined for styles without them. */
  readonly colors: readonly string[] | undefined;
}

/** The images that pages embed, from public repositories. The rest is what each service draws. */
export const IMAGES: readonly EmbeddedAddress[] = rowsOf(`
komarev/ghpvc/?username=NMSUD&color=green&style=for-the-badge | komarev/nmsud | Profile views: 1 | #555 | #67ac09
komarev/ghpvc/?username=searge&label=Profile%20views&color=0e75b6&style=flat | komarev/searge | Profile views: 1 | #555 | #0e75b6
komarev/ghpvc/?username=gl01potdgfg&color=blue&&label=Visitors | komarev/gl01potdgfg | Visitors: 1 | #555 | #007ec6
komarev/ghpvc?username=octocat&amp;color=red&amp;style=flat_square | komarev/octocat | Profile views: 1 | #555 | #dd4343
komarev/ghpvc/?username=base&base=1999&abbreviated=true | komarev/base | Profile views: 2K | #555 | #007ec6
visitor-badge/badge?page_id=Hakureirm.readme&title=visitors&title_bg=%23555555&color=%2376B900 | visitor-badge/Hakureirm.readme | visitors: 1 | #595959 | #76b900
visitor-badge/badge?page_id=shuojen.site&left_text=Visits&left_color=black&right_color=gray | visitor-badge/shuojen.site | Visits: 1 | #000000 | #555
visitor-badge/badge?page_id=FastFingertips.rss-converter&left_color=%2314181C&right_color=%2320272E | visitor-badge/FastFingertips.rss-converter | visitors: 1 | #14181c | #20272e
visitor-badge/badge?page_id=yumingj/Text2Performer&left_color=red&right_color=green&left_text=HelloVisitors | visitor-badge/yumingj/Text2Performer | HelloVisitors: 1 | #dd4343 | #67ac09
visitor-badge/badge?page_id=a.b&text=Views&lcolor=grey&color=orange&hit=yes | visitor-badge/a.b | Views: 1 | #555 | #ea7233
seeyoufarm/api/count/incr/badge.svg?url=https%3A%2F%2Fgithub.com%2Fstar77sa&count_bg=%234100EA&title_bg=%23555555&icon=github.svg&icon_color=%23E7E7E7&title=VIEW&edge_flat=false | seeyoufarm/github.com/star77sa | VIEW: 1 / 1 | #555555 | #4100ea
seeyoufarm/api/count/incr/badge.svg?url=https://github.com/Jerrykim91/jerrykim91.github.io | seeyoufarm/github.com/Jerrykim91/jerrykim91.github.io | hits: 1 / 1 | #555 | #79c83d
seeyoufarm/api/count/incr/badge.svg?url=https%3A%2F%2Fgithub.com%2Fdnswd%2Fos-assistant-automation&count_bg=%2379C83D&title_bg=%23555555&icon=&icon_color=%23E7E7E7&title=%F0%9F%91%80&edge_flat=false | seeyoufarm/github.com/dnswd/os-assistant-automation | 👀: 1 / 1 | #555555 | #79c83d
seeyoufarm/api/hit?url=https%3A%2F%2Fb.kill9pid.top%2Fp%2Ffolderify&label=&icon=check-all&color=%23198754 | seeyoufarm/b.kill9pid.top/p/folderify | 1 / 1
seeyoufarm/api/hit?url=www.buffalomusiccalendar.com&label=Visitors&icon=cup-straw&color=%230a58ca&message=&style=flat&tz=UTC | seeyoufarm/www.buffalomusiccalendar.com | Visitors: 1 / 1 | #555 | #0a58ca
seeyoufarm/api/hit?url=https%3A%2F%2Fgithub.com%2Fspike0en%2Fnothing_archive&label=Hits&icon=github&color=%2324292e&labelColor=333333 | seeyoufarm/github.com/spike0en/nothing_archive | Hits: 1 / 1 | #333333 | #24292e
seeyoufarm/api/hit?url=https%3A%2F%2Fgithub.com%2Fjdmsharpe%2Fchesscpp2%2F&label=chesscpp2&icon=github&color=%23198754&message=&style=flat | seeyoufarm/github.com/jdmsharpe/chesscpp2 | chesscpp2: 1 / 1 | #555 | #198754
dwyl/davidleitw/gin-limiter.svg | dwyl/davidleitw/gin-limiter | hits: 1 | #555 | #4c1
dwyl/approvals/ApprovalTests.Dart.svg?style=flat | dwyl/approvals/ApprovalTests.Dart | hits: 1 | #555 | #4c1
dwyl/NoelJacob/GAMING-TWEAKS.svg?style=flat_square | dwyl/NoelJacob/GAMING-TWEAKS | hits: 1 | #555 | #4c1
dwyl/octocat/octocat/readme.svg | dwyl/octocat/readme | hits: 1 | #555 | #4c1
hits.sh/github.com/VincentAzz/HyperMonetIconTheme-visited.svg?label=%E8%AE%BF%E9%97%AE%E8%AE%A1%E6%95%B0 | hits.sh/github.com/VincentAzz/HyperMonetIconTheme-visited | 访问计数: 1 | #555 | #4c1
hits.sh/github.com/Mid0aria/owofarmbot.svg?view=today-total&label=Repo%20Today/Total%20Views&color=770ca1&labelColor=007ec6 | hits.sh/github.com/Mid0aria/owofarmbot | Repo Today/Total Views: 1 / 1 | #007ec6 | #770ca1
hits.sh/github.com/AndriyKalashnykov/golang-web.svg?view=today-total&style=plastic | hits.sh/github.com/AndriyKalashnykov/golang-web | hits: 1 / 1 | #555 | #4c1
hits.sh/ashutoshjh.me.svg?color=64748b&labelColor=334155 | hits.sh/ashutoshjh.me | hits: 1 | #334155 | #64748b
hits.sh/https://github.com/silentsoft/hits.svg | hits.sh/github.com/silentsoft/hits | hits: 1 | #555 | #4c1
hits.sh/github.com%2Foctocat%2Fhello.svg?extraCount=1233 | hits.sh/github.com/octocat/hello | hits: 1,234 | #555 | #4c1
profile-counter/Multiavatar/count.svg | profile-counter/Multiavatar | visitors: 1
profile-counter/{ghoste9624}/count.svg | profile-counter/{ghoste9624} | visitors: 1
profile-counter/%7Bghoste9625%7D/count.svg | profile-counter/{ghoste9625} | visitors: 1
profile-counter/octo.cat/count.svg?v=1 | profile-counter/octo.cat | visitors: 1
profile-counter/%E6%97%A5%E6%9C%AC/count.svg | profile-counter/日本 | visitors: 1
`).map(([address = "", id = "", title = "", ...colors]) => {
  return { address, id, title, colors: colors.length === 0 ? undefined : colors };
});

/** The addresses of CountAPI that scripts call, and their counters. */
export const COUNTAPI = rowsOf(`
countapi/hit/vincepradas.github.io/portfolio | countapi/vincepradas.github.io/portfolio
countapi/hit/michaelakinola/d8fe5bd6-a5a0-437c-a7a3-42e744ebf019/ | countapi/michaelakinola/d8fe5bd6-a5a0-437c-a7a3-42e744ebf019
countapi/hit/mysite | countapi/default/mysite
`);

/**
 * The addresses of busuanzi that pages load or programs ask, and the function of the page that is
 * called with the numbers.
 */
export const BUSUANZI = rowsOf(`
busuanzi
busuanzi?jsonpCallback=BusuanziCallback | BusuanziCallback
busuanzi?jsonpCallback=bszShow&type=site_pv | bszShow
busuanzi?jsonpCallback=cb&_=1732300000000 | cb
busuanzi?jsonpCallback=jQuery341009_1732300000001&_=1732300000002 | jQuery341009_1732300000001
`);

function rowsOf(text: string): readonly (readonly string[])[] {
  return text.trim().split("\n").map((line) => line.split(" | "));
}
