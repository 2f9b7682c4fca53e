package dev.holdfast.engine.spdk.simulator.internal.rpc;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Parameters of one method.
 *
 * @param refusal answer to parameters that do not fit
 * @param relaxed whether unknown parameters are ignored
 * @param members by name
 * @param objects types that are objects
 */
record MethodSchema(
    RpcError refusal,
    boolean relaxed,
    Map<String, Member> members,
    Map<String, Map<String, Member>> objects) {
  private static final Pattern UUID =
      Pattern.compile("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");

  /** A parameter, or a member of an object. */
  record Member(boolean required, String type) {}

  /** Checks parameters as SPDK decodes them. */
  Params accept(JsonNode values) throws RpcError {
    if (!(values.isObject() || values.isMissingNode())
        || (members.isEmpty() && !values.isMissingNode())
        || !fits(values, members, relaxed)) {
      throw new RpcError(refusal.code(), refusal.getMessage());
    }
    return new Params(values);
  }

  private boolean fits(JsonNode values, Map<String, Member> known, boolean ignoresUnknown) {
    boolean complete =
        known.entrySet().stream()
            .allMatch(member -> !member.getValue().required() || values.has(member.getKey()));
    return complete
        && values.properties().stream()
            .allMatch(
                value ->
                    known.containsKey(value.getKey())
                        ? fits(value.getValue(), known.get(value.getKey()).type())
                        : ignoresUnknown);
  }

  private boolean fits(JsonNode value, String type) {
    return switch (type) {
      case "text" -> value.isTextual();
      case "flag" -> value.isBoolean();
      case "uuid" -> value.isTextual() && UUID.matcher(value.textValue()).matches();
      case "texts" -> value.isArray() && allTexts(value);
      case "object" -> value.isObject();
      case "uint8" -> isNumber(value, 0, 0xff);
      case "uint16" -> isNumber(value, 0, 0xffff);
      case "uint32" -> isNumber(value, 0, 0xffff_ffffL);
      case "uint64" -> isNumber(value, 0, Long.MAX_VALUE);
      case "int32" -> isNumber(value, Integer.MIN_VALUE, Integer.MAX_VALUE);
      default ->
          objects.containsKey(type)
              ? value.isObject() && fits(value, objects.get(type), false)
              : value.isTextual() && List.of(type.split("\\|", -1)).contains(value.textValue());
    };
  }

  private static boolean allTexts(JsonNode values) {
    for (JsonNode value : values) {
      if (!value.isTextual()) {
        return false;
      }
    }
    return true;
  }

  private static boolean isNumber(JsonNode value, long least, long most) {
    return value.isIntegralNumber()
        && value.canConvertToLong()
        && value.longValue() >= least
        && value.longValue() <= most;
  }
}
