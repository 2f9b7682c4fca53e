package dev.holdfast.commands;

import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingDefinition;
import dev.holdfast.resource.cluster.SettingReport;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.ResourceList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Formats settings for output. */
public final class SettingViews {
  private final ResourceJson json = new ResourceJson();

  /** Creates a view. */
  public SettingViews() {}

  /** Shows all settings. */
  public Output list(ResourceList<Setting> settings) {
    return new Output(
        () -> table(settings.items()),
        () -> json.listTree(Setting.KIND, settings.items(), settings.resourceVersion()));
  }

  private static String table(List<Setting> settings) {
    Table table = new Table("NAME", "VALUE", "EFFECTIVE", "DEFAULT", "APPLIED");
    for (Setting setting : settings) {
      table.row(
          setting.name(),
          setting.spec().value(),
          setting.status().effectiveValue(),
          setting.status().defaultValue(),
          setting.status().applied() ? "yes" : "no");
    }
    return table.orIfEmpty("No settings yet: a node shows them when it has started.");
  }

  /** Shows only the value in force, so that a script can use it. */
  public Output value(Setting setting) {
    return new Output(() -> effective(setting), () -> json.tree(setting));
  }

  private static String effective(Setting setting) {
    Optional<SettingDefinition> known = PlatformSettings.named(setting.name());
    return known
        .map(definition -> definition.effective(Optional.of(setting)))
        .orElse(setting.status().effectiveValue());
  }

  /** Shows the purpose of a setting, its values, and the reports of the nodes. */
  public Output explanation(Setting setting) {
    return new Output(() -> text(setting), () -> json.tree(setting));
  }

  private static String text(Setting setting) {
    Optional<SettingDefinition> known = PlatformSettings.named(setting.name());
    String description =
        known.map(SettingDefinition::description).orElse(setting.status().description());
    String allowed = known.map(SettingDefinition::allowed).orElse(setting.status().allowed());
    String standard =
        known.map(SettingDefinition::defaultValue).orElse(setting.status().defaultValue());
    String field = known.map(SettingDefinition::volumeField).orElse(setting.status().volumeField());
    List<String> lines = new ArrayList<>();
    lines.add(setting.name() + ": " + Table.printable(description));
    lines.add("Allowed:   " + Table.printable(allowed));
    lines.add("Default:   " + orNone(standard));
    lines.add("Value:     " + orNone(setting.spec().value()));
    lines.add("In force:  " + orNone(effective(setting)));
    if (!field.isEmpty()) {
      lines.add("A volume:  spec." + field + " has precedence");
    }
    for (SettingReport report : setting.status().nodes()) {
      lines.add("Node " + report.node() + ": " + report.reason() + detail(report));
    }
    return String.join("\n", lines);
  }

  private static String detail(SettingReport report) {
    String text = report.applied() ? orNone(report.effectiveValue()) : report.message();
    return text.isEmpty() ? "" : ", " + Table.printable(text);
  }

  private static String orNone(String value) {
    return value.isEmpty() ? "none" : Table.printable(value);
  }

  /** Shows a setting that was changed. */
  public Output changed(Setting setting) {
    String value = setting.spec().value();
    return new Output(
        () ->
            "setting "
                + setting.name()
                + (value.isEmpty()
                    ? " has its default " + orNone(effective(setting))
                    : " is " + value)
                + ": 'holdfast setting explain "
                + setting.name()
                + "' shows which nodes apply it",
        () -> json.tree(setting));
  }
}
