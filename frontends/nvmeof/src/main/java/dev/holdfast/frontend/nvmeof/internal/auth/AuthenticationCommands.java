package dev.holdfast.frontend.nvmeof.internal.auth;

import dev.holdfast.frontend.nvmeof.internal.wire.AdminResult;
import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.CommandData;
import dev.holdfast.frontend.nvmeof.internal.wire.FabricsType;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import java.util.Arrays;

/** Authentication Send and Receive (Base 2.0, 6.1 and 6.2). */
public final class AuthenticationCommands {
  /** Security protocol E9h with its specific field 0101h. */
  private static final int NVME_PROTOCOL = 0xe9010100;

  private static final int LONGEST = 4096;

  private AuthenticationCommands() {}

  public static boolean is(Command command) {
    return command.fabrics()
        && (command.fabricsType() == FabricsType.AUTHENTICATION_SEND
            || command.fabricsType() == FabricsType.AUTHENTICATION_RECEIVE);
  }

  /** Executes one of the two commands. */
  public static AdminResult execute(
      Command command, CommandData data, Authentication authentication) throws RefusedException {
    if (!authentication.required()) {
      throw new RefusedException(Status.INVALID_OPCODE, "authentication is not required");
    }
    if ((command.cdw10() & ~0xff) != NVME_PROTOCOL) {
      throw new RefusedException(Status.INVALID_FIELD, "the security protocol is not supported");
    }
    if (command.fabricsType() == FabricsType.AUTHENTICATION_SEND) {
      return send(command, data, authentication);
    }
    int length = Math.min(command.cdw11(), (int) command.data().length());
    if (length < authentication.available()) {
      throw new RefusedException(Status.INVALID_FIELD, "the message is longer than that");
    }
    return AdminResult.of(Arrays.copyOf(authentication.receive(), Math.min(length, LONGEST)));
  }

  private static AdminResult send(Command command, CommandData data, Authentication authentication)
      throws RefusedException {
    if (data.length() == 0 || data.length() > LONGEST || data.length() != command.cdw11()) {
      throw new RefusedException(Status.INVALID_FIELD, "a message's length is wrong");
    }
    authentication.send(data.bytes());
    return AdminResult.DONE;
  }
}
