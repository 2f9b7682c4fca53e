package dev.holdfast.frontend.iscsi.internal.login;

/** Authentication of the initiator of one connection. Used by the connection's thread only. */
public interface Initiators {
  /**
   * Returns whether the initiator must authenticate.
   *
   * @param target its target, empty in a discovery session, not null
   */
  boolean required(String target);

  /**
   * Returns the credentials of an initiator.
   *
   * @param initiator its iSCSI name, not null
   * @param target its target, empty in a discovery session, not null
   * @throws LoginException when it has none, or they cannot be read
   */
  Credentials of(String initiator, String target) throws LoginException;

  /**
   * Records that the initiator proved to know the secret of the credentials that {@link #of}
   * returned last.
   *
   * @param initiator its iSCSI name, not null
   */
  void authenticated(String initiator);

  /**
   * Records that the initiator was refused.
   *
   * @param initiator the name that it claims, empty without a name, not null
   * @param message one sentence, not null
   */
  void refused(String initiator, String message);
}
