package dev.holdfast.support.internal.logging;

import dev.holdfast.controller.OwnNodeReconciler;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.LogLevelRule;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingDefinition;
import dev.holdfast.resource.cluster.SettingDefinitions;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Dictionary;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.osgi.framework.FrameworkUtil;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Declares the setting {@code log-level}, and sets the levels of this node's loggers until they
 * expire. The configuration file of the log does not change, so that a start uses its levels.
 */
@Component(service = {Reconciler.class, SettingDefinitions.class})
public final class LogLevelReconciler implements OwnNodeReconciler, SettingDefinitions {
  private static final Logger LOG = LoggerFactory.getLogger(LogLevelReconciler.class);
  private static final String PID = "org.ops4j.pax.logging";

  /** Property that would make changes of the configuration be written to the file. */
  private static final String FILE = "felix.fileinstall.filename";

  private final ConfigurationAdmin configurations;

  /** Creates the reconciler for the configuration of this container's log. */
  @Activate
  public LogLevelReconciler(@Reference ConfigurationAdmin configurations) {
    this.configurations = configurations;
  }

  @Override
  public List<SettingDefinition> definitions() {
    return List.of(PlatformSettings.LOG_LEVEL);
  }

  @Override
  public String name() {
    return "log-level";
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(Watched.wakingAll(Setting.KIND));
  }

  @Override
  public Result reconcileOwn(ReconcileContext context) throws StorageException {
    SettingDefinition setting = PlatformSettings.LOG_LEVEL;
    Instant now = context.clock().instant();
    Map<String, String> levels = new TreeMap<>();
    Optional<Instant> next = Optional.empty();
    for (LogLevelRule rule :
        LogLevelRule.parse(setting.effective(context.get(Setting.KIND, setting.name())))) {
      if (rule.holds(context.nodeName(), now)) {
        levels.put(rule.logger(), rule.level());
        next = earlier(next, rule.end());
      }
    }
    try {
      apply(levels);
    } catch (IOException e) {
      throw StorageException.io("change the levels of the log", e);
    }
    return next.map(end -> Result.after(Duration.between(now, end))).orElse(Result.DONE);
  }

  private static Optional<Instant> earlier(Optional<Instant> one, Optional<Instant> other) {
    return one.isPresent() && (other.isEmpty() || one.get().isBefore(other.get())) ? one : other;
  }

  private void apply(Map<String, String> levels) throws IOException {
    Configuration configuration = configurations.getConfiguration(PID, null);
    Dictionary<String, Object> properties = configuration.getProperties();
    if (properties == null) {
      LOG.warn("the log has no configuration {}: its levels stay", PID);
      return;
    }
    Map<String, Object> present = new TreeMap<>();
    properties.keys().asIterator().forEachRemaining(key -> present.put(key, properties.get(key)));
    Map<String, Object> wanted = LogConfiguration.with(present, levels);
    if (!wanted.equals(present)) {
      wanted.remove(FILE);
      configuration.update(FrameworkUtil.asDictionary(wanted));
      LOG.info("levels of the log by the setting: {}", levels.isEmpty() ? "none" : levels);
    }
  }
}
