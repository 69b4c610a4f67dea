H="X-Auth-Token: $SECRET_TOKEN" IN="$T/counters?mode=max"

redis-cli --scan --pattern 'K:*' | while read -r key; do
  redis-cli get "$key" | jq -cR --arg id "${key#K:}" '{id: $id, hits: tonumber}'
done | curl -H "$H" --data-binary @- "$IN"

sqlite3 -json count.db 'SELECT name AS id, num AS hits FROM tb_count' | jq -c '.[]' |
  curl -H "$H" --data-binary @- "$IN"

sqlite3 -json data.db "SELECT url AS id, max(count) AS hits FROM url WHERE url <> '' GROUP BY url" | jq -c '.[]' |
  curl -H "$H" --data-binary @- "$IN"

gunzip -c goatcounter-export.csv.gz > pageviews.csv
sqlite3 :memory: '.import --csv pageviews.csv views' "
  SELECT json_object('id', path, 'hits', sum(hits), 'days', json_group_object(day, hits)) FROM (
    SELECT \"2Path\" AS path, substr(Date, 1, 10) AS day, count(*) AS hits
    FROM views WHERE Bot = '0' GROUP BY path, day
  ) GROUP BY path" | curl -H "$H" --data-binary @- "$IN"

jq -cR 'capture("^\\s*(?<hits>[0-9,.]+)\\s+(?<id>\\S+)") | .hits |= (gsub("[,.]"; "") | tonumber)' list.txt |
  curl -H "$H" --data-binary @- "$IN"

