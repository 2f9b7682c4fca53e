package dev.holdfast.client;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.LogLevelRule;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingDefinition;
import dev.holdfast.store.ResourceStore;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Log levels of the cluster's nodes. Thread-safe. */
public final class LogLevels {
  private static final SettingDefinition SETTING = PlatformSettings.LOG_LEVEL;

  private final ResourceStore store;
  private final InstantSource clock;

  /** Manages the setting of a store. */
  public LogLevels(ResourceStore store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
  }

  /** Returns the rules in force, never null. */
  public List<LogLevelRule> list() throws StorageException {
    return present(new Settings(store).get(SETTING.name()).spec().value());
  }

  private List<LogLevelRule> present(String value) {
    return LogLevelRule.parse(value).stream()
        .filter(rule -> rule.holds(rule.node(), clock.instant()))
        .toList();
  }

  /**
   * Sets the level of a logger. Replaces an earlier rule for the logger on the same node or nodes.
   *
   * @return the rules after the change, never null
   * @throws StorageException INVALID when a part of the rule has another form
   */
  public List<LogLevelRule> set(LogLevelRule rule) throws StorageException {
    return replace(rule.node(), rule.logger(), List.of(rule));
  }

  /**
   * Restores the level of the configuration.
   *
   * @param node empty for the rule of all nodes
   * @return the rules after the change, never null
   */
  public List<LogLevelRule> remove(String node, String logger) throws StorageException {
    return replace(node, logger, List.of());
  }

  private List<LogLevelRule> replace(String node, String logger, List<LogLevelRule> added)
      throws StorageException {
    Setting changed =
        new Settings(store)
            .change(
                SETTING.name(),
                value ->
                    Stream.concat(
                            present(value).stream()
                                .filter(
                                    rule ->
                                        !rule.node().equals(node) || !rule.logger().equals(logger)),
                            added.stream())
                        .map(LogLevelRule::text)
                        .collect(Collectors.joining(",")));
    return present(changed.spec().value());
  }
}
