package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.frontend.nvmeof.internal.controller.NvmeController;
import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.CommandData;
import dev.holdfast.frontend.nvmeof.internal.wire.ConnectData;
import dev.holdfast.frontend.nvmeof.internal.wire.Limits;
import dev.holdfast.frontend.nvmeof.internal.wire.NvmeNames;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;

/**
 * A Connect command with valid fields.
 *
 * @param command identifier of the command
 * @param queue number of the queue, 0 for the admin queue
 * @param entries entries of the queue
 * @param flowControl whether the host requests the submission queue's head
 * @param keepAliveMillis keep-alive time-out in milliseconds, 0 for none
 * @param data data of the command
 */
public record Connect(
    int command,
    int queue,
    int entries,
    boolean flowControl,
    long keepAliveMillis,
    ConnectData data) {
  /** Value of the response's head when flow control is off. */
  public static final int NO_FLOW_CONTROL = 0xffff;

  /** Bit of the response's result: the host must authenticate. */
  public static final int AUTHENTICATION = 1 << 17;

  private static final int DISABLE_FLOW_CONTROL = 1 << 2;
  private static final int IN_DATA = 1 << 16;
  private static final int HOST_IDENTIFIER_AT = 0;
  private static final int QUEUE_AT = 42;
  private static final int ENTRIES_AT = 44;
  private static final int LEAST_ADMIN_ENTRIES = 2;

  /** Checks the fields that do not depend on a controller. */
  public static Connect of(Command command, CommandData payload) throws RefusedException {
    if ((command.cdw10() & 0xffff) != 0) {
      throw new RefusedException(Status.CONNECT_FORMAT, "the record's format is not 0");
    }
    if (payload.length() != ConnectData.SIZE) {
      throw new RefusedException(Status.DATA_LENGTH_INVALID, "a Connect has 1024 bytes of data");
    }
    ConnectData data = ConnectData.parse(payload.buffer(), payload.at());
    int queue = command.cdw10() >>> 16;
    int entries = (command.cdw11() & 0xffff) + 1;
    boolean flow = (command.cdw11() >> 16 & DISABLE_FLOW_CONTROL) == 0;
    Connect connect =
        new Connect(command.id(), queue, entries, flow, command.cdw12() & 0xffffffffL, data);
    connect.check();
    return connect;
  }

  private void check() throws RefusedException {
    if (queue > Limits.QUEUES) {
      throw wrong(QUEUE_AT, "there is no queue " + queue);
    }
    if (entries < LEAST_ADMIN_ENTRIES || entries > Limits.ENTRIES) {
      throw wrong(ENTRIES_AT, "a queue cannot have " + entries + " entries");
    }
    if (!NvmeNames.valid(data.hostName())) {
      throw wrong(IN_DATA | ConnectData.HOST_AT, "the host's name is not an NQN");
    }
    if (!NvmeNames.valid(data.subsystem())) {
      throw noSubsystem();
    }
    boolean any = data.controller() == ConnectData.ANY;
    if (any != (queue == 0)) {
      throw noController();
    }
    if (keepAliveMillis > Limits.KEEP_ALIVE) {
      throw new RefusedException(Status.KEEP_ALIVE_INVALID, "the keep-alive time-out is too long");
    }
  }

  public RefusedException noSubsystem() {
    return missing(ConnectData.SUBSYSTEM_AT, "no subsystem " + data.subsystem());
  }

  public RefusedException noController() {
    return missing(ConnectData.CONTROLLER_AT, "no controller " + data.controller());
  }

  /** Refuses an I/O queue of another host than the controller's. */
  public void requireHost(NvmeController controller) throws RefusedException {
    if (!controller.host().equals(data.host())) {
      throw anotherHost(HOST_IDENTIFIER_AT, "identifier " + data.host(), controller.host());
    }
    if (!controller.hostName().equals(data.hostName())) {
      throw anotherHost(ConnectData.HOST_AT, "name " + data.hostName(), controller.hostName());
    }
  }

  private RefusedException anotherHost(int place, String found, Object expected) {
    return wrong(
        IN_DATA | place,
        "controller "
            + data.controller()
            + " belongs to another host: host "
            + found
            + ", expected "
            + expected);
  }

  /**
   * The export may appear later: a host that reconnects while its volume moves, or while its node
   * starts, must retry.
   */
  private static RefusedException missing(int place, String message) {
    int status = Status.CONNECT_INVALID & ~Status.DO_NOT_RETRY;
    return new RefusedException(status, IN_DATA | place, message);
  }

  public RefusedException queueInUse() {
    return wrong(QUEUE_AT, "queue " + queue + " is connected already");
  }

  private static RefusedException wrong(int place, String message) {
    return new RefusedException(Status.CONNECT_INVALID, place, message);
  }
}
