package dev.holdfast.commands;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Formats secrets for output: their names and keys, never their values. */
public final class SecretViews {
  private final JsonNodeFactory json = JsonNodeFactory.instance;

  /** Creates a view. */
  public SecretViews() {}

  /** Shows all secrets with their keys. */
  public Output list(Map<String, List<String>> secrets) {
    return new Output(() -> table(secrets), () -> tree(secrets));
  }

  private static String table(Map<String, List<String>> secrets) {
    Table table = new Table("NAME", "KEYS");
    secrets.forEach((name, keys) -> table.row(name, String.join(", ", keys)));
    return table.orIfEmpty("No secrets on this host. Set one: holdfast secret set NAME KEY");
  }

  private ObjectNode tree(Map<String, List<String>> secrets) {
    ObjectNode tree = json.objectNode();
    ArrayNode items = tree.putArray("items");
    secrets.forEach(
        (name, keys) -> {
          ArrayNode list = items.addObject().put("name", name).putArray("keys");
          keys.forEach(list::add);
        });
    return tree;
  }

  /** Shows a value that was set. */
  public Output set(String name, String key) {
    return new Output(
        () -> "secret " + name + ": " + key + " is set on this host",
        () -> json.objectNode().put("name", name).put("key", key));
  }

  /** Shows a secret, or one of its values, that was deleted. */
  public Output deleted(String name, Optional<String> key) {
    return new Output(
        () -> "secret " + name + key.map(k -> ": " + k).orElse("") + " is deleted on this host",
        () -> json.objectNode().put("deleted", name).put("key", key.orElse("")));
  }
}
