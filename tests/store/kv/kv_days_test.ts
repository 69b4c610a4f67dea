import { testHistory } from "../../support/history_contract.ts";
import { KV_KINDS } from "../../support/kv_backend.ts";

// What is in memory ends with its store, so that it cannot be opened again as these tests do.
for (const { name, kind } of KV_KINDS.filter(({ kind }) => kind.keeps)) testHistory(name, kind);
