package dev.holdfast.volume.internal.setting;

import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingDefinition;
import dev.holdfast.resource.cluster.SettingDefinitions;
import dev.holdfast.resource.cluster.SettingReport;
import dev.holdfast.resource.cluster.SettingStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Computes the reports about a setting from its value and its definition. Pure functions. */
final class SettingReports {
  private SettingReports() {}

  /** Returns the definition of a name; the first of two. */
  static Optional<SettingDefinition> definition(List<SettingDefinitions> bundles, String name) {
    return bundles.stream()
        .flatMap(bundle -> bundle.definitions().stream())
        .filter(definition -> definition.name().equals(name))
        .findFirst();
  }

  /** Returns the report of a node. */
  static SettingReport of(String node, Setting setting, Optional<SettingDefinition> definition) {
    SettingReport report = SettingReport.EMPTY.withNode(node);
    if (definition.isPresent()) {
      Optional<String> fault = fault(setting, definition.get());
      return report
          .withEffectiveValue(definition.get().effective(Optional.of(setting)))
          .withApplied(fault.isEmpty())
          .withReason(fault.isEmpty() ? SettingReport.APPLIED : SettingReport.INVALID_VALUE)
          .withMessage(fault.orElse(""));
    } else if (setting.isKnown() || setting.isOfPlugin()) {
      return report
          .withReason(SettingReport.DEFINITION_ABSENT)
          .withMessage("no bundle on the node uses this setting: its value is kept");
    }
    return report
        .withReason(SettingReport.UNKNOWN_SETTING)
        .withMessage(
            "no bundle uses a setting of this name; the nearest one is "
                + PlatformSettings.nearest(setting.name()));
  }

  private static Optional<String> fault(Setting setting, SettingDefinition definition) {
    return definition
        .fault(setting.spec().value())
        .map(
            expected ->
                "spec.value \""
                    + setting.spec().value()
                    + "\" "
                    + expected
                    + ": "
                    + (definition.defaultValue().isEmpty()
                        ? "no value"
                        : "the default " + definition.defaultValue())
                    + " is in force");
  }

  /** Returns the status with the report of one node. */
  static SettingStatus with(SettingStatus status, SettingReport report) {
    List<SettingReport> reports = new ArrayList<>();
    reports.add(report);
    status.nodes().stream().filter(r -> !r.node().equals(report.node())).forEach(reports::add);
    reports.sort(Comparator.comparing(SettingReport::node));
    return status.withNodes(reports);
  }

  /**
   * Returns the status with the summary for the cluster.
   *
   * @param definition definition on this node; if empty, the texts remain
   * @param nodes existing nodes, which must all report; reports of other nodes are removed
   */
  static SettingStatus summary(
      Setting setting, Optional<SettingDefinition> definition, Set<String> nodes) {
    SettingStatus status =
        setting
            .status()
            .withNodes(
                setting.status().nodes().stream().filter(r -> nodes.contains(r.node())).toList());
    if (definition.isPresent()) {
      SettingDefinition read = definition.get();
      status =
          status
              .withEffectiveValue(read.effective(Optional.of(setting)))
              .withDefaultValue(read.defaultValue())
              .withAllowed(read.allowed())
              .withDescription(read.description())
              .withVolumeField(read.volumeField());
    }
    return status.withApplied(status.nodes().size() == nodes.size() && isApplied(setting, status));
  }

  private static boolean isApplied(Setting setting, SettingStatus status) {
    List<SettingReport> readers =
        status.nodes().stream()
            .filter(report -> !report.reason().equals(SettingReport.DEFINITION_ABSENT))
            .toList();
    return !readers.isEmpty()
        && setting.validate().isEmpty()
        && readers.stream()
            .allMatch(
                report ->
                    report.applied() && report.effectiveValue().equals(status.effectiveValue()));
  }
}
