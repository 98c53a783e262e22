#!/bin/sh
# mqtt.sh [MOSQUITTO_PUB_OPTION...]: brings each message of the room to an MQTT broker, as Home Assistant reads it.
#
#     earshot --no-input >/dev/null &
#     ./mqtt.sh -h homeassistant.local -u earshot -P PASSWORD
#
# In configuration.yaml of Home Assistant:
#     mqtt: {sensor: [{name: Chat, state_topic: earshot/message, value_template: "{{ value_json.text }}"}]}
"${EARSHOT:-earshot}" tail --json | jq --unbuffered -c 'select(.event == "message" and .conversation == "public") | {from: .from.displayName, text}' | "${MOSQUITTO_PUB:-mosquitto_pub}" "$@" -t earshot/message -l
