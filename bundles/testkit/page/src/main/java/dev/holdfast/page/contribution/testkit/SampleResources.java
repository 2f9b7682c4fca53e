package dev.holdfast.page.contribution.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** The volume and the backing image that the kit shows by default. */
final class SampleResources {
  private SampleResources() {}

  static Map<String, List<String>> all() {
    return Map.of(
        "volumes", List.of(text("volume.json")), "backingimages", List.of(text("image.json")));
  }

  /** Returns a file of the kit as text. */
  static String text(String name) {
    try (InputStream in = SampleResources.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the kit lacks its file " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
