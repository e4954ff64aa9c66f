/** Entry of the engine process; joins the engine and the formats that it imports. */
import { serveEngine } from './engine/process/serve';
import { importers } from './pools';

serveEngine({ importers });
