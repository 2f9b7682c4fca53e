package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.EngineRecord;
import dev.holdfast.engine.EngineRecords;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.MembershipRegister;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Register of a volume in the records that all nodes of a test share. */
final class RecordedRegister implements MembershipRegister {
  private final EngineRecords records;
  private final String name;

  RecordedRegister(EngineRecords records, String volume) {
    this.records = records;
    this.name = "register." + volume;
  }

  private static Membership parse(EngineRecord record) {
    String[] words = new String(record.value(), StandardCharsets.UTF_8).split(" ", -1);
    return new Membership(
        Long.parseLong(words[0]),
        words[1],
        Long.parseLong(words[2]),
        Long.parseLong(words[3]),
        new TreeSet<>(Set.of(words[4])));
  }

  private static byte[] bytes(Membership next) {
    return String.join(
            " ",
            Long.toString(next.generation()),
            next.owner(),
            Long.toString(next.epochGeneration()),
            Long.toString(next.epochNumber()),
            next.members().first())
        .getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public Membership read() throws StorageException {
    return records.read(name).map(RecordedRegister::parse).orElse(Membership.NONE);
  }

  @Override
  public boolean compareAndSet(Membership expected, Membership next) throws StorageException {
    Optional<EngineRecord> present = records.read(name);
    if (!present.map(RecordedRegister::parse).orElse(Membership.NONE).equals(expected)) {
      return false;
    }
    byte[] value = bytes(next);
    return records.compareAndSet(
        present, present.map(record -> record.next(value)).orElse(EngineRecord.first(name, value)));
  }
}
