/** Each lists all devices, page by page, and stops with the message of the first error. */

export const javascriptSample = (endpoint: string) => `const DEVICES = \`
  query ($after: String) {
    devices(first: 100, after: $after) {
      data { name status }
      pageInfo { endCursor hasNextPage }
    }
  }\`

async function call(query, variables) {
  const response = await fetch('${endpoint}', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'api-secret': process.env.API_SECRET },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = await response.json()
  if (errors) throw new Error(errors[0].message)
  return data
}

let after = null
do {
  const { devices } = await call(DEVICES, { after })
  for (const { name, status } of devices.data) console.log(name, status)
  after = devices.pageInfo.hasNextPage ? devices.pageInfo.endCursor : null
} while (after)
`

export const pythonSample = (endpoint: string) => `import json
import os
import urllib.error
import urllib.request

DEVICES = """
  query ($after: String) {
    devices(first: 100, after: $after) {
      data { name status }
      pageInfo { endCursor hasNextPage }
    }
  }"""


def call(query, variables):
    request = urllib.request.Request(
        "${endpoint}",
        data=json.dumps({"query": query, "variables": variables}).encode(),
        headers={"content-type": "application/json", "api-secret": os.environ["API_SECRET"]},
    )
    try:
        with urllib.request.urlopen(request) as response:
            answer = json.load(response)
    except urllib.error.HTTPError as refusal:
        answer = json.load(refusal)
    if "errors" in answer:
        raise SystemExit(answer["errors"][0]["message"])
    return answer["data"]


after = None
while True:
    devices = call(DEVICES, {"after": after})["devices"]
    for device in devices["data"]:
        print(device["name"], device["status"])
    if not devices["pageInfo"]["hasNextPage"]:
        break
    after = devices["pageInfo"]["endCursor"]
`

export const goSample = (endpoint: string) => `package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
)

const devices = \`
  query ($after: String) {
    devices(first: 100, after: $after) {
      data { name status }
      pageInfo { endCursor hasNextPage }
    }
  }\`

type answer struct {
	Data struct {
		Devices struct {
			Data     []struct{ Name, Status string }
			PageInfo struct {
				EndCursor   *string
				HasNextPage bool
			}
		}
	}
	Errors []struct{ Message string }
}

func call(query string, variables map[string]any) (result answer, err error) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return result, err
	}
	request, err := http.NewRequest("POST", "${endpoint}", bytes.NewReader(body))
	if err != nil {
		return result, err
	}
	request.Header.Set("content-type", "application/json")
	request.Header.Set("api-secret", os.Getenv("API_SECRET"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return result, err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&result); err != nil {
		return result, err
	}
	if len(result.Errors) > 0 {
		return result, fmt.Errorf("%s", result.Errors[0].Message)
	}
	return result, nil
}

func main() {
	for after := (*string)(nil); ; {
		page, err := call(devices, map[string]any{"after": after})
		if err != nil {
			log.Fatal(err)
		}
		for _, device := range page.Data.Devices.Data {
			fmt.Println(device.Name, device.Status)
		}
		if !page.Data.Devices.PageInfo.HasNextPage {
			return
		}
		after = page.Data.Devices.PageInfo.EndCursor
	}
}
`
