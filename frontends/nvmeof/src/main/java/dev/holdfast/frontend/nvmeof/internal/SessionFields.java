package dev.holdfast.frontend.nvmeof.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.frontend.nvmeof.internal.controller.ControllerId;
import dev.holdfast.frontend.nvmeof.internal.controller.NvmeController;
import dev.holdfast.frontend.nvmeof.internal.queue.Queue;
import dev.holdfast.frontend.nvmeof.internal.queue.QueueShape;
import dev.holdfast.frontend.nvmeof.internal.queue.SessionStateCodec;
import dev.holdfast.frontend.nvmeof.internal.wire.ConnectData;
import java.util.Map;
import java.util.UUID;

/**
 * Names of the fields that a parked session leaves, and the version of the set; the README lists
 * them. A new field needs the next version. A reader uses a default for a field that an older
 * writer lacked.
 */
final class SessionFields {
  static final String FORMAT = "nvmeof";
  static final int VERSION = 2;

  static final String PHASE = "phase";
  static final String DIGESTS = "digests";
  static final String ALIGNMENT = "alignment";
  static final String ENDED = "ended";
  static final String CONNECT = "connect";
  static final String CONNECT_DATA = "connect-data";
  static final String SUBSYSTEM = "subsystem";
  static final String CONTROLLER = "controller";
  static final String HOST = "host";
  static final String HOST_NAME = "host-name";
  static final String QUEUE = "queue";
  static final String ENTRIES = "entries";
  static final String FLOW_CONTROL = "flow-control";

  /** Version of the oldest reader that can resume the state of this version. */
  private static final int READABLE_BY = 1;

  private SessionFields() {}

  static SessionState state(Map<String, String> fields) {
    return new SessionState(FORMAT, VERSION, READABLE_BY, fields);
  }

  /** Adds the numbers of the queue and its controller. */
  static void put(Queue queue, Map<String, String> fields) {
    NvmeController controller = queue.controller();
    fields.put(SUBSYSTEM, controller.id().subsystem());
    fields.put(CONTROLLER, String.valueOf(controller.id().number()));
    fields.put(HOST, controller.host().toString());
    fields.put(HOST_NAME, controller.hostName());
    fields.put(QUEUE, String.valueOf(queue.shape().number()));
    fields.put(ENTRIES, String.valueOf(queue.shape().entries()));
    fields.put(FLOW_CONTROL, String.valueOf(queue.shape().flowControl()));
  }

  static String required(SessionState state, String name) throws StorageException {
    return state
        .text(name)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.UNSUPPORTED, "the session's state has no field " + name));
  }

  static UUID host(SessionState state) throws StorageException {
    try {
      return UUID.fromString(required(state, HOST));
    } catch (IllegalArgumentException e) {
      throw SessionStateCodec.unreadable("the host", e);
    }
  }

  static QueueShape shape(SessionState state) throws StorageException {
    return new QueueShape(
        (int) state.number(QUEUE, 0), (int) state.number(ENTRIES, 2), state.flag(FLOW_CONTROL));
  }

  static ControllerId controller(SessionState state) throws StorageException {
    return new ControllerId(
        required(state, SUBSYSTEM), (int) state.number(CONTROLLER, ConnectData.ANY));
  }
}
