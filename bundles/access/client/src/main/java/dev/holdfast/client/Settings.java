package dev.holdfast.client;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingDefinition;
import dev.holdfast.resource.cluster.SettingNames;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Settings of the cluster. Thread-safe. */
public final class Settings {
  private final ResourceStore store;

  /** Manages the settings of a store. */
  public Settings(ResourceStore store) {
    this.store = store;
  }

  /** Returns all settings by name, never null. */
  public ResourceList<Setting> list() throws StorageException {
    return store.list(Setting.KIND, LabelSelector.ALL);
  }

  /**
   * Returns a setting.
   *
   * @throws StorageException NOT_FOUND with the nearest name
   */
  public Setting get(String name) throws StorageException {
    Optional<Setting> stored = store.get(Setting.KIND, name);
    if (stored.isEmpty() && PlatformSettings.named(name).isEmpty()) {
      List<String> known =
          Stream.concat(
                  PlatformSettings.all().stream().map(SettingDefinition::name),
                  list().items().stream().map(Setting::name))
              .distinct()
              .toList();
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "setting "
              + name
              + " does not exist: did you mean "
              + SettingNames.nearest(name, known)
              + "? See 'holdfast setting list'");
    }
    return stored.orElseGet(() -> Setting.of(name, SettingSpec.EMPTY));
  }

  /**
   * Sets the value of a setting.
   *
   * @param value empty for the default
   * @return the stored setting; the nodes report later that they apply it
   * @throws StorageException NOT_FOUND with the nearest name; INVALID with the allowed values
   */
  public Setting set(String name, String value) throws StorageException {
    return change(name, present -> value);
  }

  /** Computes a new value from the present one, repeatedly after concurrent changes. */
  Setting change(String name, UnaryOperator<String> change) throws StorageException {
    Setting known = get(name);
    // A node creates settings at its start, possibly after this read.
    return new StoreEditor(store)
        .createOrEdit(
            Setting.of(known.name(), SettingSpec.EMPTY),
            present -> {
              String value = change.apply(present.spec().value());
              requireValid(name, value);
              return present.withSpec(new SettingSpec(value));
            });
  }

  private static void requireValid(String name, String value) throws StorageException {
    Optional<String> fault =
        PlatformSettings.named(name).flatMap(definition -> definition.fault(value));
    if (fault.isPresent()) {
      throw new StorageException(
          ErrorCode.INVALID, "setting " + name + ": \"" + value + "\" " + fault.get());
    }
  }
}
