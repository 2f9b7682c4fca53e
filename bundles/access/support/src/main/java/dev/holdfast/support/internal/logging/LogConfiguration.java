package dev.holdfast.support.internal.logging;

import java.util.Map;
import java.util.TreeMap;

/**
 * Configuration of the log with levels from the setting. The setting replaces the configured level
 * of a logger, which is kept so that it can be restored.
 */
final class LogConfiguration {
  private static final String LOGGER = "log4j2.logger.";
  private static final String ROOT_LEVEL = "log4j2.rootLogger.level";
  private static final String ADDED = LOGGER + "setting-";
  private static final String KEPT = "holdfast.kept.";
  private static final String NAME = ".name";
  private static final String LEVEL = ".level";

  private LogConfiguration() {}

  /**
   * Returns a configuration with other levels.
   *
   * @param present the configuration, also one that this method returned
   * @param levels all levels of the setting by logger name
   */
  static Map<String, Object> with(Map<String, Object> present, Map<String, String> levels) {
    Map<String, Object> changed = without(present);
    int number = 0;
    for (Map.Entry<String, String> wanted : new TreeMap<>(levels).entrySet()) {
      String key = levelKey(changed, wanted.getKey());
      if (key.isEmpty()) {
        key = ADDED + number + LEVEL;
        changed.put(ADDED + number + NAME, wanted.getKey());
        number++;
      } else {
        changed.put(KEPT + key, changed.getOrDefault(key, ""));
      }
      changed.put(key, wanted.getValue());
    }
    return changed;
  }

  private static Map<String, Object> without(Map<String, Object> present) {
    Map<String, Object> bare = new TreeMap<>();
    present.forEach(
        (key, value) -> {
          if (!key.startsWith(ADDED) && !key.startsWith(KEPT)) {
            bare.put(key, value);
          }
        });
    present.forEach(
        (key, value) -> {
          if (key.startsWith(KEPT)) {
            bare.put(key.substring(KEPT.length()), value);
          }
        });
    return bare;
  }

  /** Returns the key of a logger's level, empty if the logger is not configured. */
  private static String levelKey(Map<String, Object> configuration, String logger) {
    if (logger.equals("ROOT")) {
      return ROOT_LEVEL;
    }
    return configuration.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(LOGGER) && entry.getKey().endsWith(NAME))
        .filter(entry -> entry.getValue().equals(logger))
        .map(entry -> entry.getKey().substring(0, entry.getKey().length() - NAME.length()) + LEVEL)
        .findFirst()
        .orElse("");
  }
}
