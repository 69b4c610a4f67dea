// A site whose pages Turbo replaces.
import * as Turbo from "@hotwired/turbo";

globalThis.go = (path) => Turbo.visit(path);
globalThis.refresh = () => Turbo.session.refresh(location.href);
