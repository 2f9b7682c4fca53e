package dev.holdfast.resource.cluster;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/**
 * A cluster-wide setting.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record Setting(ObjectMeta metadata, SettingSpec spec, SettingStatus status)
    implements Resource<Setting> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<Setting> KIND =
      new ResourceKind<>(
          "Setting",
          "settings",
          List.of("hfset"),
          Setting.class,
          "One cluster-wide setting.",
          List.of(
              ResourceKind.Column.of("Value", "string", ".spec.value", "The wanted value."),
              ResourceKind.Column.of(
                  "Effective", "string", ".status.effectiveValue", "The value in force."),
              ResourceKind.Column.of(
                  "Applied", "boolean", ".status.applied", "Whether the value is in force."),
              ResourceKind.Column.wide(
                  "Allowed", "string", ".status.allowed", "Allowed values in words.")));

  /** Replaces null components by empty values. */
  public Setting {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, SettingSpec.EMPTY);
    status = Defaults.or(status, SettingStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
  public static Setting of(String name, SettingSpec spec) {
    return new Setting(ObjectMeta.named(name), spec, SettingStatus.EMPTY);
  }

  @Override
  public ResourceKind<Setting> resourceKind() {
    return KIND;
  }

  @Override
  public Setting withMetadata(ObjectMeta newMetadata) {
    return new Setting(newMetadata, spec, status);
  }

  /** Returns whether the platform has a setting of this name. */
  public boolean isKnown() {
    return PlatformSettings.named(name()).isPresent();
  }

  /**
   * Returns whether the setting belongs to a third-party plugin: whose settings have a dot in their
   * names.
   */
  public boolean isOfPlugin() {
    return name().contains(".");
  }

  /** Returns the name of the most similar known setting. */
  public String nearestKnown() {
    return PlatformSettings.nearest(name());
  }

  /** Returns this resource with another spec. */
  public Setting withSpec(SettingSpec newSpec) {
    return new Setting(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public Setting withStatus(SettingStatus newStatus) {
    return new Setting(metadata, spec, newStatus);
  }

  @Override
  public Setting withSpecOf(Setting other) {
    return withSpec(other.spec());
  }

  @Override
  public Setting withStatusOf(Setting other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate(metadata);
  }
}
