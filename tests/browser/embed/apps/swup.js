// A site whose pages Swup replaces: it changes the address first.
import Swup from "swup";

const swup = new Swup({ animationSelector: false, containers: ["#app"] });
globalThis.go = (path) => swup.navigate(path);
