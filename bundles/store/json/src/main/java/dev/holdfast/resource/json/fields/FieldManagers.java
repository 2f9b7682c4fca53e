package dev.holdfast.resource.json.fields;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.resource.FieldsV1;
import dev.holdfast.resource.ManagedFields;
import dev.holdfast.resource.ManagedFieldsOperation;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The managers of a resource's fields and what each of them manages. Immutable. */
final class FieldManagers {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Map<Id, Held> held;

  private FieldManagers(Map<Id, Held> held) {
    this.held = held;
  }

  /** Identity of a manager: one client can both apply and update. */
  record Id(String manager, ManagedFieldsOperation operation) {
    static Id applying(String manager) {
      return new Id(manager, ManagedFieldsOperation.APPLY);
    }

    static Id updating(String manager) {
      return new Id(manager, ManagedFieldsOperation.UPDATE);
    }
  }

  private record Held(FieldSet fields, Optional<Instant> time) {}

  static FieldManagers read(List<ManagedFields> entries) {
    Map<Id, Held> held = new LinkedHashMap<>();
    for (ManagedFields entry : entries) {
      FieldSet fields = parse(entry.fieldsV1());
      if (!entry.manager().isEmpty() && !fields.isEmpty()) {
        held.merge(
            new Id(entry.manager(), entry.operation()),
            new Held(fields, entry.time()),
            (one, other) -> new Held(one.fields().union(other.fields()), other.time()));
      }
    }
    return new FieldManagers(held);
  }

  private static FieldSet parse(FieldsV1 fields) {
    try {
      return FieldSet.read(MAPPER.readTree(fields.json()));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("a set of fields is not JSON: " + fields.json(), e);
    }
  }

  List<ManagedFields> entries() {
    List<ManagedFields> entries = new ArrayList<>();
    held.forEach(
        (id, own) -> {
          FieldsV1 fields = new FieldsV1(own.fields().tree().toString());
          entries.add(
              ManagedFields.of(id.manager(), id.operation(), Instant.EPOCH, fields)
                  .withTime(own.time()));
        });
    return entries;
  }

  boolean isEmpty() {
    return held.isEmpty();
  }

  FieldSet of(Id id) {
    return held.containsKey(id) ? held.get(id).fields() : FieldSet.EMPTY;
  }

  Optional<Instant> timeOf(Id id) {
    return held.containsKey(id) ? held.get(id).time() : Optional.empty();
  }

  /** Returns the fields of all managers except one. */
  FieldSet ofOthers(Id id) {
    return others(id).values().stream().reduce(FieldSet.EMPTY, FieldSet::union);
  }

  /** Returns the fields of each manager except one. */
  Map<Id, FieldSet> others(Id id) {
    Map<Id, FieldSet> others = new LinkedHashMap<>();
    held.forEach((other, own) -> others.put(other, own.fields()));
    others.remove(id);
    return others;
  }

  /** Returns the managers after one received other fields; without fields it is removed. */
  FieldManagers with(Id id, FieldSet fields, Instant time) {
    Map<Id, Held> result = new LinkedHashMap<>(held);
    if (fields.isEmpty()) {
      result.remove(id);
    } else {
      result.put(id, new Held(fields, Optional.of(after(time, timeOf(id)))));
    }
    return new FieldManagers(result);
  }

  /** A write is always later than the previous one, so that the two differ. */
  private static Instant after(Instant time, Optional<Instant> before) {
    Instant now = time.truncatedTo(ChronoUnit.MICROS);
    return before
        .map(earlier -> earlier.plus(1, ChronoUnit.MICROS))
        .filter(now::isBefore)
        .orElse(now);
  }

  /** Returns the managers after all but one lost some fields. */
  FieldManagers othersWithout(Id id, FieldSet lost) {
    Map<Id, Held> result = new LinkedHashMap<>();
    held.forEach(
        (other, own) -> {
          FieldSet left = other.equals(id) ? own.fields() : own.fields().minus(lost);
          if (!left.isEmpty()) {
            result.put(other, new Held(left, own.time()));
          }
        });
    return new FieldManagers(result);
  }
}
