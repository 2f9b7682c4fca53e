package dev.holdfast.controller.runtime;

import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.volume.Volume;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Values of the log context of a step. */
final class LogContext {
  static final String VOLUME = "volume";

  private LogContext() {}

  /**
   * Returns the values: those of the controller, the name of the resource under its kind, and the
   * volume to which it belongs.
   *
   * @param resource empty if it no longer exists
   * @param controller values of the controller; a name under the kind has precedence
   */
  static Map<String, String> of(
      ResourceKind<?> kind,
      String name,
      Optional<? extends Resource<?>> resource,
      Map<String, String> controller) {
    Map<String, String> values = new HashMap<>(controller);
    if (kind.equals(VolumeAttachment.KIND)) {
      // An attachment has the name of its volume.
      values.put(VOLUME, name);
    }
    resource
        .map(found -> found.metadata().labels().get(Volume.LABEL))
        .filter(volume -> !volume.isEmpty())
        .ifPresent(volume -> values.put(VOLUME, volume));
    values.put(kind.singular(), name);
    return Map.copyOf(values);
  }
}
