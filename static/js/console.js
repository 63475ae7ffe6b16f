/* The console's own pages: the same care for input methods as everywhere (C118). */
import { guard } from "./ime.js";

guard();
