/** Entry of the engine process; joins the engine and the formats that it imports. */
import { importers } from '../../pools';
import { serveEngine } from './serve';

serveEngine({ importers });
