package dev.holdfast.processes;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * Receives the events of one supervised process, in their order, one at a time, from threads of the
 * supervisor's executor. A listener may call the process. Its exceptions are logged.
 */
@ConsumerType
public interface ProcessListener {
  /** Ignores all events. */
  ProcessListener NONE = new ProcessListener() {};

  /**
   * The process was started again after it had ended.
   *
   * @param status of the new process
   */
  default void restarted(ProcessStatus status) {}

  /**
   * The process passed its first health check since it was started or adopted.
   *
   * @param status of the process
   */
  default void ready(ProcessStatus status) {}

  /**
   * The process ended by itself, or was ended because it was not healthy.
   *
   * @param status with the cause as detail; the state shows whether it will be started again
   */
  default void exited(ProcessStatus status) {}

  /**
   * The process will not be started again by itself. Follows {@link #exited}.
   *
   * @param status with the last cause as detail
   */
  default void gaveUp(ProcessStatus status) {}
}
