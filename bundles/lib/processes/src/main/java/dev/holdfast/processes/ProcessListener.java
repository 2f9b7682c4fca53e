package dev.holdfast.processes;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * Receives the events of one supervised process in order, one at a time, on threads of the
 * supervisor's executor. A listener may call the process. Its exceptions are logged.
 */
@ConsumerType
public interface ProcessListener {
  /** Ignores all events. */
  ProcessListener NONE = new ProcessListener() {};

  /**
   * Reports that the process was restarted after its end.
   *
   * @param status of the new process
   */
  default void restarted(ProcessStatus status) {}

  /**
   * Reports the first successful health check since the start or adoption of the process.
   *
   * @param status of the process
   */
  default void ready(ProcessStatus status) {}

  /**
   * Reports that the process ended by itself, or was ended because it was unhealthy.
   *
   * @param status with the cause as detail; the state shows whether a restart follows
   */
  default void exited(ProcessStatus status) {}

  /**
   * Reports that the supervisor no longer restarts the process. Follows {@link #exited}.
   *
   * @param status with the last cause as detail
   */
  default void gaveUp(ProcessStatus status) {}
}
