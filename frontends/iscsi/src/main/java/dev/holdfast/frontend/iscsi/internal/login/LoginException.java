package dev.holdfast.frontend.iscsi.internal.login;

import java.util.Optional;

/** A login is refused, with a status of RFC 7143, 11.13.5. */
public final class LoginException extends Exception {
  /** The target is elsewhere at the moment. */
  public static final int MOVED = 0x0101;

  /** The request does not follow the protocol. */
  public static final int INITIATOR_ERROR = 0x0200;

  /** The initiator did not prove the name that it claims, or claims none. */
  public static final int AUTHENTICATION = 0x0201;

  /** There is no such target here. */
  public static final int NOT_FOUND = 0x0203;

  /** The initiator wants another version. */
  public static final int UNSUPPORTED_VERSION = 0x0205;

  /** A name is missing that must be there. */
  public static final int MISSING_PARAMETER = 0x0207;

  /** The session has as many connections as it agreed on. */
  public static final int TOO_MANY_CONNECTIONS = 0x0206;

  /** The initiator wants another kind of session. */
  public static final int UNSUPPORTED_SESSION = 0x0209;

  /** There is no session of this name that a connection could join. */
  public static final int NO_SESSION = 0x020a;

  /** The request comes at the wrong time. */
  public static final int WRONG_STAGE = 0x020b;

  /** The target cannot prove its identity. */
  public static final int TARGET_ERROR = 0x0300;

  private static final long serialVersionUID = 1L;

  private final int status;
  private final String address;

  /** Creates a refusal. */
  public LoginException(int status, String message) {
    this(status, "", message);
  }

  private LoginException(int status, String address, String message) {
    super(message);
    this.status = status;
    this.address = address;
  }

  /**
   * Sends the initiator elsewhere.
   *
   * @param target its name, not null
   * @param address {@code host:port}, not null
   */
  public static LoginException moved(String target, String address) {
    return new LoginException(MOVED, address, "target " + target + " is at " + address);
  }

  /** Returns where the initiator is to go, empty when nowhere. */
  public Optional<String> address() {
    return Optional.of(address).filter(one -> !one.isEmpty());
  }

  /** Returns class and detail. */
  public int status() {
    return status;
  }
}
