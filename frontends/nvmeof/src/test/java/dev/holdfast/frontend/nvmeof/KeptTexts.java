package dev.holdfast.frontend.nvmeof;

import dev.holdfast.frontend.ExportStateStore;
import java.util.Map;

/** Durable texts of an export, in memory. */
final class KeptTexts implements ExportStateStore {
  private volatile Map<String, String> texts = Map.of();

  @Override
  public Map<String, String> load() {
    return texts;
  }

  @Override
  public void save(Map<String, String> all) {
    texts = Map.copyOf(all);
  }
}
