import { serveEngine } from '../../server/engine/process/serve';
import { bagEncoder, jsonlImporter } from '../unit/engine/doubles';
serveEngine({ importers: [jsonlImporter], createEncoder: async () => bagEncoder() });
