package dev.holdfast.attacher.csi.internal;

import dev.holdfast.attacher.AttacherType;
import org.osgi.service.component.annotations.Component;

/** Tickets of pods: one for each Kubernetes VolumeAttachment, named as it is. */
@Component(service = AttacherType.class)
public final class CsiAttacher implements AttacherType {
  private static final int PRIORITY = 900;

  @Override
  public String name() {
    return "csi-attacher";
  }

  @Override
  public int priority() {
    return PRIORITY;
  }

  @Override
  public Role role() {
    return Role.WORKLOAD;
  }
}
