package dev.holdfast.engine.sparse.internal.volume;

import dev.holdfast.engine.Membership;

/** Copies of a register's record with one changed field. */
final class RegisterRecords {
  private RegisterRecords() {}

  static Membership claimed(Membership record, String owner) {
    return new Membership(
        record.generation() + 1,
        owner,
        record.epochGeneration(),
        record.epochNumber(),
        record.members(),
        record.sizeBytes(),
        record.pendingOperation(),
        record.history());
  }

  static Membership withSize(Membership record, long sizeBytes) {
    return with(record, sizeBytes, record.pendingOperation());
  }

  static Membership withPending(Membership record, String operation) {
    return with(record, record.sizeBytes(), operation);
  }

  private static Membership with(Membership record, long sizeBytes, String operation) {
    return new Membership(
        record.generation(),
        record.owner(),
        record.epochGeneration(),
        record.epochNumber(),
        record.members(),
        sizeBytes,
        operation,
        record.history());
  }
}
