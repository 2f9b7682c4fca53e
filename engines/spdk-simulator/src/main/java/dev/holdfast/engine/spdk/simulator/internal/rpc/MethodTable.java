package dev.holdfast.engine.spdk.simulator.internal.rpc;

import dev.holdfast.engine.spdk.simulator.internal.rpc.MethodSchema.Member;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The methods of {@code methods.txt}. */
final class MethodTable {
  private final Map<String, MethodSchema> methods = new TreeMap<>();
  private final Map<String, Map<String, Member>> objects = new TreeMap<>();

  /** Reads the table of this bundle. */
  MethodTable() {
    try (InputStream table = MethodTable.class.getResourceAsStream("methods.txt")) {
      lines(new String(table.readAllBytes(), StandardCharsets.UTF_8)).forEach(this::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> lines(String text) {
    List<String> joined = new ArrayList<>();
    for (String line : text.lines().toList()) {
      if (line.startsWith(" ")) {
        joined.set(joined.size() - 1, joined.get(joined.size() - 1) + " " + line.strip());
      } else if (!line.isBlank() && !line.startsWith("#")) {
        joined.add(line);
      }
    }
    return joined;
  }

  private void add(String line) {
    List<String> words = List.of(line.split(" +", -1));
    String name = words.get(0);
    if (name.startsWith("@")) {
      objects.put(name.substring(1), members(words.subList(1, words.size())));
      return;
    }
    boolean relaxed = words.size() > 2 && words.get(2).equals("relaxed");
    methods.put(
        name,
        new MethodSchema(
            refusal(name, words.get(1)),
            relaxed,
            members(words.subList(relaxed ? 3 : 2, words.size())),
            objects));
  }

  private static Map<String, Member> members(List<String> words) {
    Map<String, Member> members = new LinkedHashMap<>();
    for (String word : words) {
      String[] parts = word.split("!?=", 2);
      members.put(parts[0], new Member(word.startsWith(parts[0] + "!"), parts[1]));
    }
    return members;
  }

  private static RpcError refusal(String method, String word) {
    String undecoded = "spdk_json_decode_object failed";
    return switch (word) {
      case "internal" -> RpcError.internal(undecoded);
      case "parse" -> new RpcError(-32700, undecoded);
      case "undecoded" -> RpcError.invalid(undecoded);
      case "invalid" -> RpcError.invalid();
      case "einval" -> RpcError.invalid(Errno.EINVAL.text());
      case "none" -> RpcError.invalid(method + " requires no parameters");
      default -> throw new IllegalStateException("methods.txt: " + method + ": refusal " + word);
    };
  }

  Set<String> names() {
    return methods.keySet();
  }

  MethodSchema find(String method) throws RpcError {
    MethodSchema schema = methods.get(method);
    if (schema == null) {
      throw new RpcError(-32601, "Method not found");
    }
    return schema;
  }
}
