package dev.holdfast.support.internal.pack;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Removes secrets from text and JSON, and detects remaining ones. Uses the secrets in the node's
 * files and the forms of credentials. Thread-safe.
 */
final class SecretFilter {
  static final String REMOVED = "<removed>";

  private static final String KEY_HEADER = "-----BEGIN ([A-Z0-9]+ )*PRIVATE KEY-----";
  private static final Pattern PRIVATE_KEY =
      Pattern.compile(KEY_HEADER + "[\\s\\S]*?(-----END ([A-Z0-9]+ )*PRIVATE KEY-----|\\z)");

  /** Forms that only credentials have. */
  private static final List<Pattern> FORMS =
      List.of(
          Pattern.compile("\\bhf_[A-Za-z0-9_-]{16,}"),
          Pattern.compile("\\beyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*"),
          Pattern.compile("\\b(AKIA|ASIA)[0-9A-Z]{16}\\b"),
          Pattern.compile("\\bDHHC-1:[0-9a-f]{2}:[A-Za-z0-9+/=]{8,}:?"),
          Pattern.compile("\\bNVMeTLSkey-1:[0-9a-f]{2}:[A-Za-z0-9+/=]{8,}:?"));

  /** A value whose name marks it as secret; the first group is kept. */
  private static final List<Pattern> VALUES =
      List.of(
          Pattern.compile("(?i)(\\bauthorization[\"']?\\s*[:=]\\s*[\"']?)[^\"'\\r\\n]+"),
          Pattern.compile("(?i)(\\b(?:bearer|basic)\\s+)[A-Za-z0-9._~+/=-]{8,}"),
          Pattern.compile("(://[^/\\s:@]{0,256}:)[^/\\s@]{1,256}(?=@)"),
          Pattern.compile(
              "(?i)(\\b[\\w.-]{0,64}?(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key"
                  + "|private[_-]?key|chap|psk)[\\w.-]{0,64}[\"']?\\s*[:=]\\s*[\"']?)"
                  + "(?!<removed>)[^\\s\"',;}&]+"),
          Pattern.compile(
              "(?i)((?<![\\w-])--?[\\w-]{0,64}?(?:password|passphrase|secret|token|api-key|private-key)[\\w-]{0,64}\\s+)"
                  + "(?!<removed>)[^\\s-][^\\s]*"));

  private static final Pattern SECRET_FIELD =
      Pattern.compile(
          "(?i).*(password|passphrase|secret|token|credential|privatekey|accesskey|hash).*");

  private final List<String> known;

  SecretFilter(Set<String> known) {
    // The longest first, because a secret may contain another one.
    this.known = known.stream().sorted(Comparator.comparingInt(String::length).reversed()).toList();
  }

  /** Returns text without secrets. */
  String redact(String text) {
    String result = text;
    for (String secret : known) {
      result = result.replace(secret, REMOVED);
    }
    if (result.contains("PRIVATE KEY-----")) {
      result = PRIVATE_KEY.matcher(result).replaceAll(REMOVED);
    }
    for (Pattern form : FORMS) {
      result = form.matcher(result).replaceAll(REMOVED);
    }
    for (Pattern value : VALUES) {
      result = value.matcher(result).replaceAll("$1" + Matcher.quoteReplacement(REMOVED));
    }
    return result;
  }

  /** Removes the values of secret fields, and secrets in other texts. */
  JsonNode redact(JsonNode tree) {
    if (tree instanceof ObjectNode object) {
      List<String> names = new ArrayList<>();
      object.fieldNames().forEachRemaining(names::add);
      for (String name : names) {
        JsonNode value = object.get(name);
        boolean secret = value.isValueNode() && SECRET_FIELD.matcher(name).matches();
        object.set(name, secret ? TextNode.valueOf(REMOVED) : redact(value));
      }
    } else if (tree instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        array.set(i, redact(array.get(i)));
      }
    } else if (tree.isTextual()) {
      return TextNode.valueOf(redact(tree.asText()));
    }
    return tree;
  }

  /** Returns whether a text still contains a known secret or a form of a credential. */
  boolean holdsSecret(String text) {
    return known.stream().anyMatch(text::contains)
        || PRIVATE_KEY.matcher(text).find()
        || FORMS.stream().anyMatch(form -> form.matcher(text).find());
  }
}
