package dev.holdfast.frontend.iscsi.internal.login;

import java.util.Optional;

/** Refuses a login with a status of RFC 7143, 11.13.5. */
public final class LoginException extends Exception {
  /** The target is at another address. */
  public static final int MOVED = 0x0101;

  /** The request does not follow the protocol. */
  public static final int INITIATOR_ERROR = 0x0200;

  /** The initiator did not prove the name that it claims, or claims no name. */
  public static final int AUTHENTICATION = 0x0201;

  /** The target does not exist here. */
  public static final int NOT_FOUND = 0x0203;

  /** The initiator requests another version. */
  public static final int UNSUPPORTED_VERSION = 0x0205;

  /** A required name is missing. */
  public static final int MISSING_PARAMETER = 0x0207;

  /** The session has its maximum of connections. */
  public static final int TOO_MANY_CONNECTIONS = 0x0206;

  /** The initiator requests another type of session. */
  public static final int UNSUPPORTED_SESSION = 0x0209;

  /** No session of this name exists that a connection could join. */
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
   * Creates a redirection to another address.
   *
   * @param target its name, not null
   * @param address {@code host:port}, not null
   */
  public static LoginException moved(String target, String address) {
    return new LoginException(MOVED, address, "target " + target + " is at " + address);
  }

  /** Returns the address for a redirection, else empty. */
  public Optional<String> address() {
    return Optional.of(address).filter(one -> !one.isEmpty());
  }

  /** Returns class and detail. */
  public int status() {
    return status;
  }
}
