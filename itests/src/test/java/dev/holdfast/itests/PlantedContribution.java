package dev.holdfast.itests;

import dev.holdfast.page.contribution.PageContribution;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A contribution to the page whose bundle has its name and its kind in files. */
public final class PlantedContribution implements PageContribution {
  static final String NAME = "planted.name";
  static final String KIND = "planted.kind";

  @Override
  public String name() {
    return text(NAME);
  }

  @Override
  public List<String> kinds() {
    return List.of(text(KIND));
  }

  private static String text(String file) {
    try (InputStream in = PlantedContribution.class.getResourceAsStream("/" + file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
