package dev.holdfast.attacher.api.internal;

import dev.holdfast.attacher.AttacherType;
import org.osgi.service.component.annotations.Component;

/** Tickets of people: the commands and whoever writes tickets through the API. */
@Component(service = AttacherType.class)
public final class ApiAttacher implements AttacherType {
  private static final int PRIORITY = 1000;

  @Override
  public String name() {
    return "api";
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
