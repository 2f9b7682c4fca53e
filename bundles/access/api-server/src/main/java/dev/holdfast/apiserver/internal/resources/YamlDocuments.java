package dev.holdfast.apiserver.internal.resources;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/** Parses YAML into the same tree as the equivalent JSON. */
final class YamlDocuments {
  private static final int MAX_DEPTH = 50;

  /**
   * Limit of nodes, counted with each repetition by aliases, because a short text can expand to a
   * huge tree.
   */
  private static final int MAX_NODES = 100_000;

  private YamlDocuments() {}

  /**
   * Parses one document.
   *
   * @throws StorageException INVALID when the text is not YAML, is not a single document, or has
   *     content that JSON cannot represent
   */
  static JsonNode parse(String text) throws StorageException {
    try {
      Object document = loader().load(text);
      if (document == null) {
        throw new StorageException(ErrorCode.INVALID, "the YAML document is empty");
      }
      return new Conversion().tree(document, 0);
    } catch (YAMLException | IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.INVALID, "this is not valid YAML: " + e.getMessage().strip(), e);
    }
  }

  private static Yaml loader() {
    LoaderOptions options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    options.setNestingDepthLimit(MAX_DEPTH);
    DumperOptions unused = new DumperOptions();
    return new Yaml(
        new SafeConstructor(options), new Representer(unused), unused, options, new JsonScalars());
  }

  /**
   * Resolves plain scalars as in JSON: dates stay text, and 10:30 is text and not a number of base
   * 60.
   */
  private static final class JsonScalars extends Resolver {
    private static final Pattern INTEGER = Pattern.compile("[-+]?(?:0|[1-9][0-9]*)");
    private static final Pattern DECIMAL =
        Pattern.compile("[-+]?(?:\\.[0-9]+|(?:0|[1-9][0-9]*)(?:\\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?");

    @Override
    protected void addImplicitResolvers() {
      addImplicitResolver(Tag.BOOL, BOOL, "yYnNtTfFoO");
      addImplicitResolver(Tag.INT, INTEGER, "-+0123456789");
      addImplicitResolver(Tag.FLOAT, DECIMAL, "-+0123456789.");
      addImplicitResolver(Tag.MERGE, MERGE, "<");
      addImplicitResolver(Tag.NULL, NULL, "~nN\0");
      addImplicitResolver(Tag.NULL, EMPTY, null);
    }
  }

  /** Converts loaded YAML to a tree; for one document. */
  private static final class Conversion {
    private final JsonNodeFactory nodes = JsonNodeFactory.instance;
    private int count;

    JsonNode tree(Object value, int depth) {
      count++;
      if (count > MAX_NODES || depth > MAX_DEPTH) {
        throw new IllegalArgumentException(
            "it has more than "
                + MAX_NODES
                + " values or is deeper than "
                + MAX_DEPTH
                + ", aliases followed");
      }
      if (value instanceof Map<?, ?> map) {
        return object(map, depth);
      } else if (value instanceof List<?> list) {
        ArrayNode array = nodes.arrayNode();
        list.forEach(item -> array.add(tree(item, depth + 1)));
        return array;
      }
      return scalar(value);
    }

    private ObjectNode object(Map<?, ?> map, int depth) {
      ObjectNode object = nodes.objectNode();
      for (Map.Entry<?, ?> field : map.entrySet()) {
        Object key = field.getKey();
        if (!(key instanceof String || key instanceof Number || key instanceof Boolean)) {
          throw new IllegalArgumentException("the key " + key + " is not text");
        }
        object.set(key.toString(), tree(field.getValue(), depth + 1));
      }
      return object;
    }

    private JsonNode scalar(Object value) {
      if (value == null) {
        return nodes.nullNode();
      } else if (value instanceof String text) {
        return nodes.textNode(text);
      } else if (value instanceof Boolean bool) {
        return nodes.booleanNode(bool);
      } else if (value instanceof Integer number) {
        return nodes.numberNode(number);
      } else if (value instanceof Long number) {
        return nodes.numberNode(number);
      } else if (value instanceof BigInteger number) {
        return nodes.numberNode(number);
      } else if (value instanceof Double number && Double.isFinite(number)) {
        return nodes.numberNode(number);
      }
      throw new IllegalArgumentException(
          "\"" + value + "\" is neither text, a number, true, false, nor null");
    }
  }
}
