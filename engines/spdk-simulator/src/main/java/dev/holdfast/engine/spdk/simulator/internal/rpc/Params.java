package dev.holdfast.engine.spdk.simulator.internal.rpc;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Parameters that the table of methods has accepted.
 *
 * @param values an object, or a missing node
 */
public record Params(JsonNode values) {
  /** Returns whether a parameter was given. */
  public boolean has(String name) {
    return values.has(name);
  }

  /** Returns a text that must be there. */
  public String text(String name) {
    return values.path(name).textValue();
  }

  /** Returns a text or what stands for it. */
  public String text(String name, String otherwise) {
    return values.has(name) ? text(name) : otherwise;
  }

  /** Returns a text that may be absent. */
  public Optional<String> find(String name) {
    return Optional.ofNullable(values.path(name).textValue());
  }

  /** Returns a number or what stands for it. */
  public long number(String name, long otherwise) {
    return values.path(name).asLong(otherwise);
  }

  /** Returns a flag or what stands for it. */
  public boolean flag(String name, boolean otherwise) {
    return values.path(name).asBoolean(otherwise);
  }

  /** Returns a UUID that may be absent. */
  public Optional<UUID> uuid(String name) {
    return find(name).map(UUID::fromString);
  }

  /** Returns texts in their order, none when the parameter is absent. */
  public List<String> texts(String name) {
    List<String> texts = new ArrayList<>();
    values.path(name).forEach(item -> texts.add(item.textValue()));
    return texts;
  }

  /** Returns the members of an object. */
  public Params object(String name) {
    return new Params(values.path(name));
  }
}
