/** SQL over one database, every statement prepared once. */
import type { Database, Statement } from 'libsql';

/** What reader and writer of a pool have in common: one connection, closed with it. */
export class Statements {
  private readonly prepared = new Map<string, Statement<unknown[]>>();

  constructor(protected readonly database: Database) {}

  protected statement(sql: string): Statement<unknown[]> {
    let statement = this.prepared.get(sql);
    if (!statement) this.prepared.set(sql, (statement = this.database.prepare(sql)));
    return statement;
  }

  /** The first row, or undefined. */
  protected get<T>(sql: string, ...parameters: unknown[]): T | undefined {
    return this.statement(sql).get(parameters) as T | undefined;
  }

  protected all<T>(sql: string, ...parameters: unknown[]): T[] {
    return this.statement(sql).all(parameters) as T[];
  }

  /** Runs a statement that changes rows; returns the rowid of the last one inserted. */
  protected run(sql: string, ...parameters: unknown[]): number {
    return Number(this.statement(sql).run(parameters).lastInsertRowid);
  }

  /** Forgets the statements and closes the database; a second time does nothing. */
  close(): void {
    this.prepared.clear();
    if (this.database.open) this.database.close();
  }
}
