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
komarev/ghpvc/?username=samade747&style=flat-square | komarev/samade747 | Profile views: 1 | #555 | #007ec6
komarev/ghpvc/?username=NMSUD&color=green&style=for-the-badge | komarev/nmsud | Profile views: 1 | #555 | #67ac09
komarev/ghpvc/?username=qompassai-Lua | komarev/qompassai-lua | Profile views: 1 | #555 | #007ec6
komarev/ghpvc/?username=searge&label=Profile%20views&color=0e75b6&style=flat | komarev/searge | Profile views: 1 | #555 | #0e75b6
komarev/ghpvc/?username=hritikranjan1&repo=DevopsJourneyBlogs&style=for-the-badge | komarev/hritikranjan1 | Profile views: 1 | #555 | #007ec6
komarev/ghpvc/?username=sarthakyerane&color=2DD4BF&style=flat-square&label=profile+views | komarev/sarthakyerane | profile views: 1 | #555 | #2dd4bf
komarev/ghpvc/?username=virajalmeida10&style=flat-square&color=4FC3F7&label=Profile+Views | komarev/virajalmeida10 | Profile Views: 1 | #555 | #4fc3f7
komarev/ghpvc/?username=khushbooshaurya5&color=brightgreen&style=for-the-badge | komarev/khushbooshaurya5 | Profile views: 1 | #555 | #4b0
komarev/ghpvc/?username=jacky-cli&repo=jacky-cli&label=repo+views&color=00FF41&style=for-the-badge | komarev/jacky-cli | repo views: 1 | #555 | #00ff41
komarev/ghpvc/?username=gl01potdgfg&color=blue&&label=Visitors | komarev/gl01potdgfg | Visitors: 1 | #555 | #007ec6
komarev/ghpvc?username=octocat&amp;color=red&amp;style=flat_square | komarev/octocat | Profile views: 1 | #555 | #dd4343
komarev/ghpvc/?username=base&base=1999&abbreviated=true | komarev/base | Profile views: 2K | #555 | #007ec6
visitor-badge/badge?page_id=Hakureirm.readme&title=visitors&title_bg=%23555555&color=%2376B900 | visitor-badge/Hakureirm.readme | visitors: 1 | #595959 | #76b900
visitor-badge/badge?page_id=shuojen.site&left_text=Visits&left_color=black&right_color=gray | visitor-badge/shuojen.site | Visits: 1 | #000000 | #555
visitor-badge/badge?page_id=Rus12325.Rus12325 | visitor-badge/Rus12325.Rus12325 | visitors: 1 | #595959 | #1283c3
visitor-badge/badge?page_id=Zulbukharov.golang-ddd-hex | visitor-badge/Zulbukharov.golang-ddd-hex | visitors: 1 | #595959 | #1283c3
visitor-badge/badge?page_id=Hunterdii.GeeksforGeeks-POTD | visitor-badge/Hunterdii.GeeksforGeeks-POTD | visitors: 1 | #595959 | #1283c3
visitor-badge/badge?page_id=FastFingertips.rss-converter&left_color=%2314181C&right_color=%2320272E | visitor-badge/FastFingertips.rss-converter | visitors: 1 | #14181c | #20272e
visitor-badge/badge?page_id=dynamic-city.DynamicCity | visitor-badge/dynamic-city.DynamicCity | visitors: 1 | #595959 | #1283c3
visitor-badge/badge?page_id=ArvoreDosSaberes.Capacitacao_GemeosDigitais | visitor-badge/ArvoreDosSaberes.Capacitacao_GemeosDigitais | visitors: 1 | #595959 | #1283c3
visitor-badge/badge?page_id=krasobas.job4j_grabber&left_text=repo%20views | visitor-badge/krasobas.job4j_grabber | repo views: 1 | #595959 | #1283c3
visitor-badge/badge?page_id=yumingj/Text2Performer&left_color=red&right_color=green&left_text=HelloVisitors | visitor-badge/yumingj/Text2Performer | HelloVisitors: 1 | #dd4343 | #67ac09
visitor-badge/badge?page_id=distributed_framework | visitor-badge/distributed_framework | visitors: 1 | #595959 | #1283c3
visitor-badge/badge?page_id=a.b&text=Views&lcolor=grey&color=orange&hit=yes | visitor-badge/a.b | Views: 1 | #555 | #ea7233
seeyoufarm/api/count/incr/badge.svg?url=https%3A%2F%2Fgithub.com%2Fstar77sa&count_bg=%234100EA&title_bg=%23555555&icon=github.svg&icon_color=%23E7E7E7&title=VIEW&edge_flat=false | seeyoufarm/github.com/star77sa | VIEW: 1 / 1 | #555555 | #4100ea
seeyoufarm/api/count/incr/badge.svg?url=https%3A%2F%2Fgithub.com%2F007revad%2FSynology_Config_Backup&count_bg=%2379C83D&title_bg=%23555555&icon=&icon_color=%23E7E7E7&title=hits&edge_flat=false | seeyoufarm/github.com/007revad/Synology_Config_Backup | hits: 1 / 1 | #555555 | #79c83d
seeyoufarm/api/count/incr/badge.svg?url=https%3A%2F%2Fgithub.com%2Fttasjwi%2Fjava-lotto%2Ftree%2Fttasjwi&count_bg=%2379C83D&title_bg=%23555555&icon=&icon_color=%23E7E7E7&title=hits&edge_flat=false | seeyoufarm/github.com/ttasjwi/java-lotto/tree/ttasjwi | hits: 1 / 1 | #555555 | #79c83d
seeyoufarm/api/count/incr/badge.svg?url=https%3A%2F%2Fgithub.com%2Fsohag1192%2FNginxProxyManager&count_bg=%23007EC6&title_bg=%23555555&icon=&icon_color=%23E7E7E7&title=Hits%2FViews&edge_flat=false | seeyoufarm/github.com/sohag1192/NginxProxyManager | Hits/Views: 1 / 1 | #555555 | #007ec6
seeyoufarm/api/count/incr/badge.svg?url=https%3A%2F%2Fgithub.com%2Fhanwoo726&count_bg=%2379C83D&title_bg=%23555555&icon=&icon_color=%23E7E7E7&title=hits&edge_flat=false | seeyoufarm/github.com/hanwoo726 | hits: 1 / 1 | #555555 | #79c83d
seeyoufarm/api/count/incr/badge.svg?url=https://github.com/Jerrykim91/jerrykim91.github.io | seeyoufarm/github.com/Jerrykim91/jerrykim91.github.io | hits: 1 / 1 | #555 | #79c83d
seeyoufarm/api/count/incr/badge.svg?url=https://github.com/EFUB-CLONE-SLACK/SLACK_BACKEND&count_bg=%23FF7B72&title_bg=%23555555&icon=&icon_color=%23E7E7E7&title=hits&edge_flat=false | seeyoufarm/github.com/EFUB-CLONE-SLACK/SLACK_BACKEND | hits: 1 / 1 | #555555 | #ff7b72
seeyoufarm/api/count/incr/badge.svg?url=https%3A%2F%2Fgithub.com%2Fdnswd%2Fos-assistant-automation&count_bg=%2379C83D&title_bg=%23555555&icon=&icon_color=%23E7E7E7&title=%F0%9F%91%80&edge_flat=false | seeyoufarm/github.com/dnswd/os-assistant-automation | 👀: 1 / 1 | #555555 | #79c83d
seeyoufarm/api/hit?url=https%3A%2F%2Fb.kill9pid.top%2Fp%2Ffolderify&label=&icon=check-all&color=%23198754 | seeyoufarm/b.kill9pid.top/p/folderify | 1 / 1
seeyoufarm/api/hit?url=www.buffalomusiccalendar.com&label=Visitors&icon=cup-straw&color=%230a58ca&message=&style=flat&tz=UTC | seeyoufarm/www.buffalomusiccalendar.com | Visitors: 1 / 1 | #555 | #0a58ca
seeyoufarm/api/hit?url=https%3A%2F%2Fgithub.com%2Fspike0en%2Fnothing_archive&label=Hits&icon=github&color=%2324292e&labelColor=333333 | seeyoufarm/github.com/spike0en/nothing_archive | Hits: 1 / 1 | #333333 | #24292e
seeyoufarm/api/hit?url=https%3A%2F%2Fgithub.com%2Fjdmsharpe%2Fchesscpp2%2F&label=chesscpp2&icon=github&color=%23198754&message=&style=flat | seeyoufarm/github.com/jdmsharpe/chesscpp2 | chesscpp2: 1 / 1 | #555 | #198754
dwyl/davidleitw/gin-limiter.svg | dwyl/davidleitw/gin-limiter | hits: 1 | #555 | #4c1
dwyl/Gimenz/insta-fetcher.svg | dwyl/Gimenz/insta-fetcher | hits: 1 | #555 | #4c1
dwyl/get-woke/woke.svg | dwyl/get-woke/woke | hits: 1 | #555 | #4c1
dwyl/ShixiangWang/ezcox.svg | dwyl/ShixiangWang/ezcox | hits: 1 | #555 | #4c1
dwyl/dwyl/learn-json-web-tokens.svg | dwyl/dwyl/learn-json-web-tokens | hits: 1 | #555 | #4c1
dwyl/hugoassisj/geneticAlgorithm-NeuralNetwork.svg | dwyl/hugoassisj/geneticAlgorithm-NeuralNetwork | hits: 1 | #555 | #4c1
dwyl/approvals/ApprovalTests.Dart.svg?style=flat | dwyl/approvals/ApprovalTests.Dart | hits: 1 | #555 | #4c1
dwyl/colgatto/Tag.svg | dwyl/colgatto/Tag | hits: 1 | #555 | #4c1
dwyl/akoidan/vuex-module-decorators-state.svg | dwyl/akoidan/vuex-module-decorators-state | hits: 1 | #555 | #4c1
dwyl/NoelJacob/GAMING-TWEAKS.svg?style=flat_square | dwyl/NoelJacob/GAMING-TWEAKS | hits: 1 | #555 | #4c1
dwyl/octocat/octocat/readme.svg | dwyl/octocat/readme | hits: 1 | #555 | #4c1
hits.sh/github.com/VincentAzz/HyperMonetIconTheme-visited.svg?label=%E8%AE%BF%E9%97%AE%E8%AE%A1%E6%95%B0 | hits.sh/github.com/VincentAzz/HyperMonetIconTheme-visited | 访问计数: 1 | #555 | #4c1
hits.sh/github.com/Mid0aria/owofarmbot.svg?view=today-total&label=Repo%20Today/Total%20Views&color=770ca1&labelColor=007ec6 | hits.sh/github.com/Mid0aria/owofarmbot | Repo Today/Total Views: 1 / 1 | #007ec6 | #770ca1
hits.sh/github.com/BrunoLagoa/lgpd-enterprise-auditor.svg?label=Project%20views&color=f1c40f | hits.sh/github.com/BrunoLagoa/lgpd-enterprise-auditor | Project views: 1 | #555 | #f1c40f
hits.sh/github.com/AndriyKalashnykov/golang-web.svg?view=today-total&style=plastic | hits.sh/github.com/AndriyKalashnykov/golang-web | hits: 1 / 1 | #555 | #4c1
hits.sh/ashutoshjh.me.svg?color=64748b&labelColor=334155 | hits.sh/ashutoshjh.me | hits: 1 | #334155 | #64748b
hits.sh/github.com/swarmauri/swarmauri-sdk/tree/master/pkgs/community/tigrbl_api_hpks.svg | hits.sh/github.com/swarmauri/swarmauri-sdk/tree/master/pkgs/community/tigrbl_api_hpks | hits: 1 | #555 | #4c1
hits.sh/github.com/groupsum/npmctl/blob/master/packages/npmctl-namecheap/README.md.svg | hits.sh/github.com/groupsum/npmctl/blob/master/packages/npmctl-namecheap/README.md | hits: 1 | #555 | #4c1
hits.sh/github.com/SwingTheVine/Wplace-BlueMarble.svg?style=flat_square | hits.sh/github.com/SwingTheVine/Wplace-BlueMarble | hits: 1 | #555 | #4c1
hits.sh/https://github.com/silentsoft/hits.svg | hits.sh/github.com/silentsoft/hits | hits: 1 | #555 | #4c1
hits.sh/github.com%2Foctocat%2Fhello.svg?extraCount=1233 | hits.sh/github.com/octocat/hello | hits: 1,234 | #555 | #4c1
profile-counter/Hunterdii/count.svg | profile-counter/Hunterdii | visitors: 1
profile-counter/sagar-viradiya/count.svg | profile-counter/sagar-viradiya | visitors: 1
profile-counter/diabetes_prediction_ml/count.svg | profile-counter/diabetes_prediction_ml | visitors: 1
profile-counter/brown9804/count.svg | profile-counter/brown9804 | visitors: 1
profile-counter/Zyy955-Lain-drive/count.svg | profile-counter/Zyy955-Lain-drive | visitors: 1
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
countapi/hit/glxn-website-123/visits | countapi/glxn-website-123/visits
countapi/hit/visionvt/index | countapi/visionvt/index
countapi/hit/purse-dashboard-panpacificu/visits | countapi/purse-dashboard-panpacificu/visits
countapi/hit/vexora-ai-portfolio/visits | countapi/vexora-ai-portfolio/visits
countapi/hit/miteshchaudhari18-portfolio/views | countapi/miteshchaudhari18-portfolio/views
countapi/hit/michaelakinola/d8fe5bd6-a5a0-437c-a7a3-42e744ebf019/ | countapi/michaelakinola/d8fe5bd6-a5a0-437c-a7a3-42e744ebf019
countapi/hit/kaiky-portfolio-2025/visitas/ | countapi/kaiky-portfolio-2025/visitas
countapi/hit/hoichun-kan/like-count | countapi/hoichun-kan/like-count
countapi/hit/mysite | countapi/default/mysite
`);

/**
 * The addresses of busuanzi that pages load or programs ask, and the function of the page that is
 * called with the numbers.
 */
export const BUSUANZI = rowsOf(`
busuanzi
busuanzi?jsonpCallback=BusuanziCallback | BusuanziCallback
busuanzi?jsonpCallback=BusuanziCallback_777487655111 | BusuanziCallback_777487655111
busuanzi?jsonpCallback=BusuanziCallback_922063302095 | BusuanziCallback_922063302095
busuanzi?jsonpCallback=BusuanziCallback_904917625059 | BusuanziCallback_904917625059
busuanzi?jsonpCallback=BusuanziCallback_476857951214 | BusuanziCallback_476857951214
busuanzi?jsonpCallback=BusuanziCallback_Publish | BusuanziCallback_Publish
busuanzi?jsonpCallback=bszShow&type=site_pv | bszShow
busuanzi?jsonpCallback=cb&_=1732300000000 | cb
busuanzi?jsonpCallback=jQuery341009_1732300000001&_=1732300000002 | jQuery341009_1732300000001
`);

function rowsOf(text: string): readonly (readonly string[])[] {
  return text.trim().split("\n").map((line) => line.split(" | "));
}
