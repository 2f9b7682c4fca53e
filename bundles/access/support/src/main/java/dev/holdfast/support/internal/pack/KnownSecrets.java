package dev.holdfast.support.internal.pack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The secrets in the files of a node, which files of a bundle must not contain. They are read only
 * for comparisons and never leave the process.
 */
final class KnownSecrets {
  /** Shorter texts are ignored, because they would remove ordinary words. */
  private static final int SHORTEST = 8;

  private static final int LARGEST_FILE = 1 << 20;
  private static final int DEPTH = 4;

  /** Values in configuration files: tokens, keys and passwords. */
  private static final Pattern VALUE =
      Pattern.compile(
          "(?im)^[ \\t-]*[\\w.-]{0,64}(?:token|password|passwd|secret|key-data|psk|chap)[\\w.-]{0,64}\\s*[:=]"
              + "\\s*[\"']?([^\\s\"',]+)");

  private static final Set<String> FOLDERS = Set.of("secrets", "keys");
  private static final Set<String> FILES =
      Set.of("token", "kubeconfig", "credential", "users.properties", "holdfast.env");

  private KnownSecrets() {}

  /**
   * Reads the secrets of a node.
   *
   * @param data state directory of the node
   * @throws IOException if a file with a secret cannot be read; a bundle must not be made then
   */
  static Set<String> of(Path data) throws IOException {
    Set<String> secrets = new HashSet<>();
    try (Stream<Path> files = Files.walk(data, DEPTH)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (isSecret(data, file) && Files.size(file) <= LARGEST_FILE) {
          add(secrets, file);
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return Set.copyOf(secrets);
  }

  /** Returns whether a file may contain a secret; bundles never include such files. */
  static boolean isSecret(Path data, Path file) {
    String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
    Path relative = data.relativize(file);
    boolean inFolder = FOLDERS.contains(relative.getName(0).toString());
    return inFolder || FILES.contains(name) || name.endsWith(".key") || name.contains("password");
  }

  private static void add(Set<String> secrets, Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    String text = new String(bytes, StandardCharsets.UTF_8);
    String name = file.getFileName().toString();
    Matcher values = VALUE.matcher(text);
    while (values.find()) {
      put(secrets, values.group(1));
    }
    if (name.equals("kubeconfig") || name.equals("holdfast.env")) {
      return;
    }
    for (String line : text.lines().toList()) {
      if (!line.startsWith("-----")) {
        put(secrets, line);
      }
    }
    put(secrets, text);
  }

  private static void put(Set<String> secrets, String text) {
    String value = text.strip();
    if (value.length() < SHORTEST) {
      return;
    }
    for (String form :
        List.of(
            value,
            value.replace("\n", "\\n"),
            Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8)))) {
      secrets.add(form);
    }
  }
}
