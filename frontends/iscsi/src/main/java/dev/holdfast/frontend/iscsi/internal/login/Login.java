package dev.holdfast.frontend.iscsi.internal.login;

import dev.holdfast.frontend.iscsi.internal.pdu.LoginRequest;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The steps of a login, without their PDUs. All its state is in its fields, so that another bundle
 * can resume it.
 *
 * <pre>
 *   (first request) --> SECURITY --authenticated--> OPERATIONAL --> FULL
 *          '----- no secret is required ------------------'
 * </pre>
 */
public final class Login {
  /** CSG and NSG: security negotiation. */
  public static final int SECURITY = 0;

  /** CSG and NSG: operational negotiation. */
  public static final int OPERATIONAL = 1;

  /** NSG: full feature phase. */
  public static final int FULL = 3;

  private static final String STAGE = "stage";
  private static final String AUTHENTICATED = "authenticated";
  private static final String AGREED = "agreed-";
  private static final String INITIATOR = "initiator";
  private static final String TARGET = "target";
  private static final String SESSION_TYPE = "session-type";
  private static final String JOINS = "joins";
  private static final Set<String> AUTHENTICATION =
      Set.of("AuthMethod", "CHAP_A", "CHAP_N", "CHAP_R", "CHAP_I", "CHAP_C");

  private final Initiators initiators;
  private final Targets targets;
  private final Chap chap = new Chap();
  private final Map<String, String> fields;

  /**
   * Resumes a login.
   *
   * @param initiators authenticates the initiator, not null
   * @param targets the existing targets, not null
   * @param fields state of the login so far, empty at its start, not null; copied
   */
  public Login(Initiators initiators, Targets targets, Map<String, String> fields) {
    this.initiators = initiators;
    this.targets = targets;
    this.fields = new HashMap<>(fields);
  }

  /** Returns the state that the next login needs to resume, never null. */
  public Map<String, String> fields() {
    return Map.copyOf(fields);
  }

  /** Returns the initiator's name; valid once the login is complete. */
  public String initiator() {
    return fields.get(INITIATOR);
  }

  /** Returns the target's name, empty in a discovery session. */
  public String target() {
    return fields.getOrDefault(TARGET, "");
  }

  /** Returns whether the session is for discovery only. */
  public boolean discovery() {
    return "Discovery".equals(fields.get(SESSION_TYPE));
  }

  /** Returns the session that the connection joins, 0 when it begins one. */
  public int joins() {
    return Integer.parseInt(fields.getOrDefault(JOINS, "0"));
  }

  /** Returns the negotiated keys, never null. */
  public Map<String, String> agreed() {
    Map<String, String> agreed = new HashMap<>();
    fields.forEach(
        (name, value) -> {
          if (name.startsWith(AGREED)) {
            agreed.put(name.substring(AGREED.length()), value);
          }
        });
    return agreed;
  }

  /**
   * Responds to a request whose text is complete.
   *
   * @param request not null
   * @param keys its text, not null
   * @return keys of the response, never null
   * @throws LoginException when the login is refused
   */
  public Map<String, String> step(LoginRequest request, Map<String, String> keys)
      throws LoginException {
    try {
      return answered(request, keys);
    } catch (LoginException e) {
      boolean hidden = e.status() == LoginException.NOT_FOUND && authenticated();
      if (e.status() == LoginException.AUTHENTICATION || hidden) {
        initiators.refused(fields.getOrDefault(INITIATOR, ""), e.getMessage());
      }
      throw e;
    }
  }

  private Map<String, String> answered(LoginRequest request, Map<String, String> keys)
      throws LoginException {
    Map<String, String> answer = new LinkedHashMap<>();
    if (!fields.containsKey(STAGE)) {
      begin(request, keys, answer);
    }
    if (request.stage() != Integer.parseInt(fields.get(STAGE))) {
      throw new LoginException(LoginException.WRONG_STAGE, "the login is in another stage");
    }
    if (request.stage() == SECURITY) {
      security(keys, answer);
    }
    negotiate(keys, answer, request.stage() == OPERATIONAL);
    return answer;
  }

  /**
   * Returns whether the stage ends with the response.
   *
   * @throws LoginException when the initiator requests a stage that it may not enter
   */
  public boolean transits(LoginRequest request) throws LoginException {
    if (!request.transit()) {
      return false;
    }
    if ((request.next() != FULL && request.next() != OPERATIONAL)
        || request.next() <= request.stage()) {
      throw new LoginException(
          LoginException.WRONG_STAGE, "the requested login stage does not exist");
    }
    if (request.stage() == SECURITY && required() && !authenticated()) {
      return false;
    }
    fields.put(STAGE, String.valueOf(request.next()));
    return true;
  }

  private boolean required() {
    return initiators.required(target());
  }

  private boolean authenticated() {
    return Boolean.parseBoolean(fields.get(AUTHENTICATED));
  }

  private void begin(LoginRequest request, Map<String, String> keys, Map<String, String> answer)
      throws LoginException {
    if (request.versionMin() > 0) {
      throw new LoginException(LoginException.UNSUPPORTED_VERSION, "only version 0 is known");
    }
    if (keys.getOrDefault("InitiatorName", "").isBlank()) {
      throw new LoginException(LoginException.MISSING_PARAMETER, "InitiatorName is missing");
    }
    fields.put(STAGE, String.valueOf(request.stage()));
    fields.put(INITIATOR, keys.get("InitiatorName").strip());
    String type = keys.getOrDefault("SessionType", "Normal");
    if (!List.of("Normal", "Discovery").contains(type)) {
      throw new LoginException(LoginException.UNSUPPORTED_SESSION, "unknown session: " + type);
    }
    fields.put(SESSION_TYPE, type);
    if (request.tsih() != 0) {
      joins(request.tsih());
    }
    if (!discovery()) {
      beginNormal(keys);
      answer.put("TargetPortalGroupTag", "1");
    }
    if (request.stage() == OPERATIONAL && required()) {
      throw new LoginException(LoginException.AUTHENTICATION, "the initiator must use CHAP");
    }
  }

  private void joins(int tsih) throws LoginException {
    if (discovery()) {
      throw new LoginException(
          LoginException.NO_SESSION, "sessions for discovery have one connection");
    }
    fields.put(JOINS, String.valueOf(tsih));
  }

  private void beginNormal(Map<String, String> keys) throws LoginException {
    String target = keys.getOrDefault("TargetName", "");
    if (target.isEmpty()) {
      throw new LoginException(LoginException.MISSING_PARAMETER, "TargetName is missing");
    }
    fields.put(TARGET, target);
    if (!required()) {
      find(target);
    }
  }

  /** An initiator that must authenticate learns only afterwards which targets exist. */
  private void find(String target) throws LoginException {
    if (!targets.here(target)) {
      throw targets
          .elsewhere(target)
          .map(address -> LoginException.moved(target, address))
          .orElseGet(
              () -> new LoginException(LoginException.NOT_FOUND, "there is no target " + target));
    }
  }

  private void security(Map<String, String> keys, Map<String, String> answer)
      throws LoginException {
    if (keys.containsKey("AuthMethod")) {
      answer.put("AuthMethod", method(keys.get("AuthMethod")));
    }
    if (keys.containsKey("CHAP_A")) {
      answer.putAll(chap.challenge(keys.get("CHAP_A"), fields));
    }
    if (keys.containsKey("CHAP_R")) {
      answer.putAll(chap.response(keys, initiators.of(initiator(), target()), fields));
      fields.put(AUTHENTICATED, "true");
      initiators.authenticated(initiator());
      if (!discovery()) {
        find(target());
      }
    }
  }

  private String method(String offered) throws LoginException {
    String wanted = required() ? "CHAP" : "None";
    if (!List.of(offered.split(",")).contains(wanted)) {
      throw new LoginException(
          LoginException.AUTHENTICATION, "the initiator offers " + offered + ", not " + wanted);
    }
    return wanted;
  }

  private void negotiate(Map<String, String> keys, Map<String, String> answer, boolean declare)
      throws LoginException {
    Map<String, String> agreed = agreed();
    for (Map.Entry<String, String> key : keys.entrySet()) {
      if (!AUTHENTICATION.contains(key.getKey())) {
        value(key.getKey(), key.getValue(), agreed)
            .ifPresent(value -> answer.put(key.getKey(), value));
      }
    }
    agreed.forEach((name, value) -> fields.put(AGREED + name, value));
    if (declare && fields.put("declared", "true") == null) {
      answer.put("MaxRecvDataSegmentLength", String.valueOf(OperationalKeys.RECEIVE_AT_MOST));
    }
  }

  private Optional<String> value(String key, String offered, Map<String, String> agreed)
      throws LoginException {
    if (joins() != 0 && OperationalKeys.ofSession(key)) {
      return Optional.of("Irrelevant");
    }
    if (discovery() && key.equals("MaxConnections")) {
      return Optional.of("1");
    }
    return OperationalKeys.answer(key, offered, agreed);
  }
}
